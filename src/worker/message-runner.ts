import { Injectable } from '@nestjs/common';
import { EventLeases, guardKey, type LeaseResult } from '../idempotency/event-leases.js';
import { Log } from '../observability/log.js';
import { EventFinisher } from './event-finisher.js';
import { EventProcessor } from './event-processor.js';
import { Pauses } from './pauses.js';
import type { LeasedItem, WorkItem } from './work-item.js';

// Another worker's lease may end early (it completes, or releases): look again before it would expire.
const HELD_LOOK_AGAIN_MS_MAX = 1_000;

/**
 * Takes messages from `acquire` to their settle. While infrastructure is away it pauses in place: that costs a message no
 * attempt, so an outage does not sweep a backlog into the dead letters.
 */
@Injectable()
export class MessageRunner {
  constructor(
    private readonly leases: EventLeases,
    private readonly processor: EventProcessor,
    private readonly finisher: EventFinisher,
    private readonly pauses: Pauses,
    private readonly log: Log,
  ) {}

  /** Resolves when each item is settled, was told to come back, or lost its lane. Items in transport order. */
  async run(items: readonly WorkItem[]): Promise<void> {
    await this.runBehind(items, new Map());
  }

  /**
   * `back`: the lanes of which earlier messages were given back, and for how long. Nothing may overtake those: what
   * follows in such a lane comes back with them.
   */
  private async runBehind(items: readonly WorkItem[], back: Map<string, number>): Promise<void> {
    const { first, repeats } = onceEach(await this.withoutLanesOf(items, back));
    await this.runEach(first, back);
    // A repeat finds its event's row by now, unless the first of them was given back.
    if (repeats.length > 0) await this.runBehind(repeats, back);
  }

  private async withoutLanesOf(items: readonly WorkItem[], back: ReadonlyMap<string, number>): Promise<WorkItem[]> {
    const left: WorkItem[] = [];
    for (const item of items) {
      const wait = back.get(laneKey(item));
      if (wait === undefined) left.push(item);
      else await this.comeBack(item, wait);
    }
    return left;
  }

  private async runEach(items: readonly WorkItem[], back: Map<string, number>): Promise<void> {
    let pending = items;
    for (let pauseCount = 1; pending.length > 0; pauseCount += 1) {
      const leased = await this.leaseAll(pending, back);
      const result = await this.processor.process(leased);
      if (result.kind === 'done') return;
      await Promise.all(result.items.map((item) => this.leases.release(item.lease)));
      if (result.singly) {
        for (const item of result.items) await this.runBehind([item], back);
        return;
      }
      pending = result.items.filter((item) => !laneSignal(item)?.aborted);
      await this.pause(pending, pauseCount, result.cause);
      pending = pending.filter((item) => !laneSignal(item)?.aborted);
    }
  }

  /** Acquires in order. What another worker holds comes back later, and with it whatever follows in its lane. */
  private async leaseAll(items: readonly WorkItem[], back: Map<string, number>): Promise<LeasedItem[]> {
    const results = await Promise.all(
      items.map((item) => this.leases.acquire(guardKey(item.identity.corpId, item.identity.eventKey))),
    );
    const leased: LeasedItem[] = [];
    const held = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const result = results[index] as LeaseResult;
      const lane = laneKey(item);
      const wait = result.kind === 'held' ? Math.min(result.remainingMs, HELD_LOOK_AGAIN_MS_MAX) : held.get(lane);
      if (result.kind === 'success') await this.finisher.finishSuccess(item);
      else if (wait === undefined && result.kind === 'leased') leased.push({ ...item, lease: result.lease });
      else {
        if (result.kind === 'leased') await this.leases.release(result.lease);
        held.set(lane, wait ?? HELD_LOOK_AGAIN_MS_MAX);
        back.set(lane, wait ?? HELD_LOOK_AGAIN_MS_MAX);
        await this.comeBack(item, wait ?? HELD_LOOK_AGAIN_MS_MAX);
      }
    }
    return leased;
  }

  private async comeBack(item: WorkItem, delayMs: number): Promise<void> {
    if (item.origin.kind !== 'message') return;
    try {
      await item.origin.delivery.comeBack(delayMs);
    } catch (error) {
      this.log.warn('message.not_given_back', { position: item.origin.delivery.position, error: String(error) });
    }
  }

  private async pause(pending: readonly WorkItem[], count: number, cause: Error): Promise<void> {
    const first = pending[0];
    const signal = first ? laneSignal(first) : undefined;
    if (!first || !signal) return;
    this.log.warn('worker.paused', {
      messages: pending.length,
      pause: count,
      cause: cause.message,
      code: codeOf(cause),
    });
    try {
      await this.pauses.whileAway(count, signal);
    } catch {
      // The lane was taken away meanwhile; the messages come again elsewhere.
    }
  }
}

/** A batch holds an event once: the second delivery would wait for the first one's lease. */
function onceEach(items: readonly WorkItem[]): { first: WorkItem[]; repeats: WorkItem[] } {
  const seen = new Set<string>();
  const first: WorkItem[] = [];
  const repeats: WorkItem[] = [];
  for (const item of items) {
    const key = guardKey(item.identity.corpId, item.identity.eventKey);
    (seen.has(key) ? repeats : first).push(item);
    seen.add(key);
  }
  return { first, repeats };
}

function laneKey(item: WorkItem): string {
  return item.origin.kind === 'message' ? item.origin.delivery.orderingKey : '';
}

function laneSignal(item: WorkItem): AbortSignal | undefined {
  return item.origin.kind === 'message' ? item.origin.delivery.signal : undefined;
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
