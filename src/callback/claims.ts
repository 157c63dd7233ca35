import { Injectable } from '@nestjs/common';
import { CLAIM_TTL_MS, QUEUED_TTL_MS } from '../config/config.js';
import { guardKey } from '../idempotency/event-leases.js';
import { GuardUnavailableError, IdempotencyStore, type ClaimResult } from '../idempotency/idempotency-store.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { TimeLimitError, within } from '../runtime/within.js';
import type { GuardAnswer, VerifiedCallback } from './verified-callback.js';

export type Claim =
  /** Durable already: answer `success`. */
  | { readonly kind: 'duplicate' }
  /** Ours to publish. */
  | { readonly kind: 'publish'; readonly answer: GuardAnswer; readonly token: string };

const LOOK_AGAIN_MS = 25;

/** Wall 1 at the edge. A guard that is down, or slower than its limit, counts as claimed: wall 3 decides. */
@Injectable()
export class Claims {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
  ) {}

  async claim(callback: VerifiedCallback): Promise<Claim> {
    const token = this.random.token();
    const waitUntil = this.clock.monotonic() + callback.budget.claimWaitMs;
    for (;;) {
      const result = await this.ask(callback, token);
      if (result === 'claimed') return { kind: 'publish', answer: 'claimed', token };
      if (result === 'unavailable') return { kind: 'publish', answer: 'unavailable', token };
      if (result !== 'received') return { kind: 'duplicate' };
      // Another gateway has it in hand and nothing is durable yet. If that does not come in time, this delivery
      // publishes its own copy: it carries the whole event, and answering `success` on a mere claim would lose it.
      if (this.clock.monotonic() >= waitUntil) return { kind: 'publish', answer: 'own-copy', token };
      await this.clock.sleep(LOOK_AGAIN_MS);
    }
  }

  /** RECEIVED → QUEUED, off the answer's path. Without it the next delivery is only published once more. */
  async confirm(callback: VerifiedCallback, token: string): Promise<void> {
    const key = guardKey(callback.corpId, callback.eventKey);
    try {
      await this.store.confirm(key, token, QUEUED_TTL_MS);
    } catch (error) {
      this.log.debug('claim.not_confirmed', { eventKey: callback.eventKey, error: String(error) });
    }
  }

  private async ask(callback: VerifiedCallback, token: string): Promise<ClaimResult | 'unavailable'> {
    const key = guardKey(callback.corpId, callback.eventKey);
    try {
      return await within(this.clock, callback.budget.guardMs, 'claim', this.store.claim(key, token, CLAIM_TTL_MS));
    } catch (error) {
      if (error instanceof GuardUnavailableError || error instanceof TimeLimitError) return 'unavailable';
      throw error;
    }
  }
}
