import type { Clock, Timer } from '../runtime/clock.js';

const PROBE_EVERY_MS = 1_000;

/**
 * Remembers since when a piece of work fails, until it works again. While it fails, `probe` is asked to try it now and
 * then: a service in trouble may be taken out of traffic, and then nothing else would ever find it well.
 */
export class Trouble {
  private current: { since: number; reason: string } | null = null;
  private probing: Timer | null = null;
  private isClosed = false;

  /** `probe` must not throw; it reports by `failed` and `worked` like any other piece of the work. */
  constructor(
    private readonly clock: Clock,
    private readonly probe: () => void,
  ) {}

  failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    // The first failure dates the outage; the latest one names it.
    this.current = { since: this.current?.since ?? this.clock.now(), reason };
    if (!this.isClosed) this.probing ??= this.clock.every(PROBE_EVERY_MS, this.probe);
  }

  worked(): void {
    this.current = null;
    this.stopProbing();
  }

  state(): { since: number; reason: string } | null {
    return this.current;
  }

  /** What fails from now on is remembered, but no longer probed. */
  close(): void {
    this.isClosed = true;
    this.stopProbing();
  }

  private stopProbing(): void {
    this.probing?.cancel();
    this.probing = null;
  }
}
