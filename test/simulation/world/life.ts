/** A machine: what it keeps outlives its processes. */
export class Host {
  /** How far its wall clock is off, in milliseconds. */
  clockOffset = 0;
  life: Life | null = null;
  private lives = 0;

  constructor(
    readonly name: string,
    readonly role: Role,
  ) {}

  start(): Life {
    this.lives += 1;
    this.life = new Life(this, this.lives);
    return this.life;
  }
}

export type Role = 'gateway' | 'worker' | 'operator';

/** One process from its start to its end. Its memory is what its promises hold: after `end` none of them goes on. */
export class Life {
  isAlive = true;
  pausedUntil = 0;
  readonly onEnd: (() => void)[] = [];

  constructor(
    readonly host: Host,
    readonly number: number,
  ) {}

  get name(): string {
    return `${this.host.name}.${this.number}`;
  }

  end(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    if (this.host.life === this) this.host.life = null;
    for (const act of this.onEnd) act();
  }
}

/** What becomes of a call of a process that is no more. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
