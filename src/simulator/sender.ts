import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from './http-client.js';
import type { SimulatedEvent } from './identify-event.js';
import type { PlannedDelivery } from './schedule.js';
import type { Sealer } from './sealer.js';
import { SeededRandom } from './seeded-random.js';
import { Slots } from './slots.js';

export interface SenderOptions {
  /** Without query, at least one. Each delivery begins at one of them; a retry goes to the next, as WeCom's do by chance. */
  readonly urls: readonly string[];
  readonly seed: number;
  readonly rate: number;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly retryAfterMs: number;
}

export interface SendReport {
  /** By index of the event: how many of its deliveries were answered. */
  readonly answeredByEvent: Uint32Array;
  readonly deliveryCount: number;
  /** Requests, those that were sent again included. */
  readonly sentCount: number;
  readonly answeredCount: number;
  /** Deliveries given up after the last retry. */
  readonly unansweredCount: number;
  /** How often a request went unanswered, by reason. */
  readonly failures: ReadonlyMap<string, number>;
  /** Of the answered requests, ascending. */
  readonly latenciesMs: Float64Array;
  /** Answers a second while first attempts were under way. The pauses before retries would say nothing of the service. */
  readonly answeredPerSecond: number;
}

const ANSWER_BYTES_MAX = 64 * 1_024;
/** How often a new delivery is begun while connections fail. */
const PROBE_EVERY_MS = 250;
/** How far behind its rate the sender may catch up. */
const CATCH_UP_MS = 1_000;
const HEADERS = { 'content-type': 'text/xml' };

/** Delivers as WeCom does: whatever is not answered `success` in time comes again after a pause, a few times. */
export class Sender {
  private readonly slots: Slots;
  private readonly random: SeededRandom;
  private readonly latencies: number[] = [];
  private readonly failures = new Map<string, number>();
  private sentCount = 0;
  private firstAttemptCount = 0;
  private doneCount = 0;
  private isDown = false;

  constructor(
    private readonly http: HttpClient,
    private readonly sealer: Sealer,
    private readonly options: SenderOptions,
    private readonly onProgress: (doneCount: number) => void,
  ) {
    this.slots = new Slots(options.concurrency);
    this.random = new SeededRandom(options.seed, 'target');
  }

  /** Resolves when every delivery was answered or given up. */
  async send(events: readonly SimulatedEvent[], plan: readonly PlannedDelivery[]): Promise<SendReport> {
    const answeredByEvent = new Uint32Array(events.length);
    const underWay = new Set<Promise<void>>();
    const startedAt = performance.now();
    let firstPass = { answered: 0, ms: 0 };
    let unansweredCount = 0;
    let nextAt = startedAt;
    for (const planned of plan) {
      nextAt = await this.pace(nextAt);
      await this.takeSlot();
      const run = this.deliver(events[planned.event]!.plaintext, planned, () => {
        if (this.firstAttemptCount === plan.length) {
          firstPass = { answered: this.latencies.length, ms: performance.now() - startedAt };
        }
      }).then((isAnswered) => {
        if (isAnswered) answeredByEvent[planned.event]! += 1;
        else unansweredCount += 1;
        underWay.delete(run);
        this.onProgress((this.doneCount += 1));
      });
      underWay.add(run);
    }
    await Promise.all(underWay);
    return {
      answeredByEvent,
      deliveryCount: plan.length,
      sentCount: this.sentCount,
      answeredCount: plan.length - unansweredCount,
      unansweredCount,
      failures: this.failures,
      latenciesMs: Float64Array.from(this.latencies).sort(),
      answeredPerSecond: firstPass.ms === 0 ? 0 : (firstPass.answered * 1_000) / firstPass.ms,
    };
  }

  /** Waits until the rate allows one more. */
  private async pace(nextAt: number): Promise<number> {
    if (this.options.rate === 0) return 0;
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return Math.max(nextAt, performance.now() - CATCH_UP_MS) + 1_000 / this.options.rate;
  }

  /**
   * Takes the slot of a new delivery. Without a rate the answers set the pace: a connection that is refused fails at
   * once, and a restart of the service would otherwise use up the whole schedule.
   */
  private async takeSlot(): Promise<void> {
    await this.slots.take();
    if (this.options.rate > 0 || !this.isDown) return;
    this.slots.give();
    await sleep(PROBE_EVERY_MS);
    await this.slots.take();
  }

  /** Called with a slot in hand. Gives it back while it waits for a retry, and at the end. */
  private async deliver(plaintext: string, planned: PlannedDelivery, onFirst: () => void): Promise<boolean> {
    const { urls, retries } = this.options;
    const first = this.random.upTo(urls.length - 1);
    for (let retry = 0; ; retry++) {
      if (retry > 0) await this.slots.take();
      const hangsUp = planned.hangsUp && retry === 0 && retries > 0;
      const isAnswered = await this.attempt(urls[(first + retry) % urls.length]!, plaintext, hangsUp);
      this.slots.give();
      if (retry === 0) {
        this.firstAttemptCount += 1;
        onFirst();
      }
      if (isAnswered || retry === retries) return isAnswered;
      await sleep(this.options.retryAfterMs);
    }
  }

  private async attempt(url: string, plaintext: string, hangsUp: boolean): Promise<boolean> {
    const { query, body } = this.sealer.seal(plaintext, Date.now());
    const startedAt = performance.now();
    this.sentCount += 1;
    const outcome = await this.http.send({
      method: 'POST',
      url: `${url}?${query}`,
      headers: HEADERS,
      body,
      timeoutMs: this.options.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      hangsUp,
    });
    if (!hangsUp) this.isDown = outcome.kind === 'failed' && outcome.reason !== 'timeout';
    if (outcome.kind === 'answered' && outcome.status === 200 && outcome.body === 'success') {
      this.latencies.push(performance.now() - startedAt);
      return true;
    }
    const reason = outcome.kind === 'answered' ? `HTTP ${outcome.status}` : outcome.reason;
    this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
    return false;
  }
}
