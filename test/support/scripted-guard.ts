import { MemoryIdempotencyStore } from '../../src/idempotency/embedded/memory-idempotency-store.js';
import {
  GuardUnavailableError,
  type AcquireResult,
  type HolderResult,
} from '../../src/idempotency/idempotency-store.js';

type Method = 'acquire' | 'start' | 'renew' | 'complete' | 'release';

/** The embedded guard, which notes what workers ask of it, and can be away or say that a lease is lost. */
export class ScriptedGuard extends MemoryIdempotencyStore {
  readonly calls: { readonly method: Method; readonly key: string; readonly result: string }[] = [];
  isAway = false;
  private readonly lost: Method[] = [];

  /** The next call of the method finds the lease gone, and it is: another worker may take it. */
  loseAt(method: Method): void {
    this.lost.push(method);
  }

  /** What was asked about a key, in order; renewals left out. */
  callsFor(key: string): string[] {
    return this.calls.filter((call) => call.key === key && call.method !== 'renew').map(({ method }) => method);
  }

  override async acquire(key: string, token: string, ttlMs: number, startMemoryMs: number): Promise<AcquireResult> {
    this.checkUp();
    const result = await super.acquire(key, token, ttlMs, startMemoryMs);
    this.calls.push({ method: 'acquire', key, result: result.kind });
    return result;
  }

  override start(key: string, token: string): Promise<HolderResult> {
    return this.held('start', key, token, () => super.start(key, token));
  }

  override renew(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.held('renew', key, token, () => super.renew(key, token, ttlMs));
  }

  override complete(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.held('complete', key, token, () => super.complete(key, token, ttlMs));
  }

  override release(key: string, token: string): Promise<HolderResult> {
    return this.held('release', key, token, () => super.release(key, token));
  }

  private async held(
    method: Method,
    key: string,
    token: string,
    ask: () => Promise<HolderResult>,
  ): Promise<HolderResult> {
    this.checkUp();
    const index = this.lost.indexOf(method);
    if (index >= 0) {
      this.lost.splice(index, 1);
      await super.release(key, token);
    }
    const result = index >= 0 ? 'lost' : await ask();
    this.calls.push({ method, key, result });
    return result;
  }

  private checkUp(): void {
    if (this.isAway) throw new GuardUnavailableError();
  }
}
