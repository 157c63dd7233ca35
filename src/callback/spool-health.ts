import type { Clock } from '../runtime/clock.js';

export interface SpoolLog {
  warn(event: string, fields: object): void;
}

export interface SpoolTrouble {
  readonly since: number;
  readonly reason: string;
}

type Part = 'append' | 'drain';

/** What goes wrong, and since when. Logs the beginning of a trouble, not each of its thousand repetitions. */
export class SpoolHealth {
  private readonly troubles = new Map<Part, SpoolTrouble>();

  constructor(
    private readonly clock: Clock,
    private readonly log: SpoolLog,
  ) {}

  failed(part: Part, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const known = this.troubles.get(part);
    if (known === undefined) this.log.warn(`spool.${part}.failed`, { reason });
    this.troubles.set(part, { since: known?.since ?? this.clock.now(), reason });
  }

  worked(part: Part): void {
    this.troubles.delete(part);
  }

  /** A failing append loses events for good if WeCom gives up, so it is named before a failing drain. */
  trouble(): SpoolTrouble | null {
    return this.troubles.get('append') ?? this.troubles.get('drain') ?? null;
  }
}
