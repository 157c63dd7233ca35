import { GuardUnavailableError, type IdempotencyStore } from '../../src/idempotency/idempotency-store.js';

const LONG_MS = 3_600_000;

export interface Ended {
  readonly outcome: string;
  readonly tookMs: number;
}

/** How a call ended, and when. */
export async function end(call: Promise<unknown>): Promise<Ended> {
  const began = performance.now();
  const outcome = await call.then(
    (result) => String(result),
    (error: unknown) => (error instanceof GuardUnavailableError ? 'unavailable' : `wrong error: ${String(error)}`),
  );
  return { outcome, tookMs: performance.now() - began };
}

/** Events that go through all states under load, and what the guard said about them that cannot be true. */
export class GuardLedger {
  completedCount = 0;
  unavailableCount = 0;
  slowestMs = 0;
  readonly faults: string[] = [];
  private eventCount = 0;

  constructor(private readonly store: IdempotencyStore) {}

  load(workers = 8): { stop(): Promise<void> } {
    let isOn = true;
    const runs = Array.from({ length: workers }, async () => {
      while (isOn) {
        await this.event(`load-${(this.eventCount += 1)}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    });
    return {
      stop: async () => {
        isOn = false;
        await Promise.all(runs);
      },
    };
  }

  /** A key may be forgotten at any moment; but nothing may be said of it that has not been asked for. */
  private async event(key: string): Promise<void> {
    await this.expect(this.store.claim(key, 'gateway', LONG_MS), ['claimed'], key);
    await this.expect(this.store.claim(key, 'other', LONG_MS), ['received', 'claimed'], key);
    await this.expect(this.store.confirm(key, 'gateway', LONG_MS), ['done', 'lost'], key);
    const lease = this.store.acquire(key, 'worker', LONG_MS, LONG_MS).then(({ kind }) => kind);
    await this.expect(lease, ['acquired'], key);
    await this.expect(this.store.complete(key, 'worker', LONG_MS), ['done', 'lost'], key);
    const last = await this.expect(
      this.store.claim(key, 'late', LONG_MS),
      ['success', 'processing', 'claimed', 'received', 'queued'],
      key,
    );
    if (last === 'success') this.completedCount += 1;
  }

  private async expect(call: Promise<string>, allowed: readonly string[], key: string): Promise<string> {
    const { outcome, tookMs } = await end(call);
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    if (outcome === 'unavailable') this.unavailableCount += 1;
    else if (!allowed.includes(outcome)) this.faults.push(`${key}: ${outcome}, not ${allowed.join(' or ')}`);
    return outcome;
  }
}
