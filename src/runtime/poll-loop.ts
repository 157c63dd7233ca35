import type { Clock } from './clock.js';

/** Calls `pass` again and again: at once while it returns true, else after `everyMs`. Never two passes side by side. */
export class PollLoop {
  private readonly abort = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly everyMs: number,
    private readonly pass: () => Promise<boolean>,
    private readonly onError: (error: unknown) => void,
  ) {}

  get stopping(): boolean {
    return this.abort.signal.aborted;
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the pass under way has ended, at the latest after `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.abort.abort();
    const limit = new AbortController();
    const waited = this.clock.sleep(limitMs, limit.signal).catch(() => undefined);
    await Promise.race([this.running, waited]);
    limit.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const more = await this.pass().catch((error: unknown) => {
        this.onError(error);
        return false;
      });
      if (more) await this.clock.nextTurn();
      else await this.clock.sleep(this.everyMs, this.abort.signal).catch(() => undefined);
    }
  }
}
