import type { Clock, Timer } from '../runtime/clock.js';

export interface SpoolLog {
  warn(event: string, fields: object): void;
}

export interface SpoolTrouble {
  readonly since: number;
  readonly reason: string;
}

type Part = 'append' | 'drain';

const PROBE_EVERY_MS = 1_000;

/**
 * What goes wrong, and since when. Logs the beginning of a trouble, not each of its thousand repetitions. While appends
 * fail, `probe` is asked to try the disk; the drain needs none, since it tries again by itself.
 */
export class SpoolHealth {
  private readonly troubles = new Map<Part, SpoolTrouble>();
  private probing: Timer | null = null;
  private isClosed = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: SpoolLog,
    private readonly probe: () => void,
  ) {}

  get canAppend(): boolean {
    return !this.troubles.has('append');
  }

  failed(part: Part, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.troubles.get(part);
    if (known === undefined) this.log.warn(`spool.${part}.failed`, { reason });
    this.troubles.set(part, { since: known?.since ?? this.clock.now(), reason });
    if (part === 'append' && !this.isClosed) this.probing ??= this.clock.every(PROBE_EVERY_MS, this.probe);
  }

  worked(part: Part): void {
    this.troubles.delete(part);
    if (part === 'append') this.stopProbing();
  }

  /** What fails from now on is remembered, but no longer probed. */
  close(): void {
    this.isClosed = true;
    this.stopProbing();
  }

  /** A failing append loses events for good if WeCom gives up, so it is named before a failing drain. */
  trouble(): SpoolTrouble | null {
    return this.troubles.get('append') ?? this.troubles.get('drain') ?? null;
  }

  private stopProbing(): void {
    this.probing?.cancel();
    this.probing = null;
  }
}
