import { Injectable } from '@nestjs/common';
import { DatabaseUnavailableError, TransactionConflictError } from '../database/database-errors.js';
import { LeaseLostError } from '../idempotency/lease-lost-error.js';
import { LeaseMaxLifeError } from '../idempotency/lease-max-life-error.js';
import { Clock } from '../runtime/clock.js';
import { LaneTakenAwayError } from '../transport/lane-taken-away-error.js';
import { EffectTransaction } from './effect-transaction.js';
import { EventFinisher } from './event-finisher.js';
import { FailureWriter } from './failure-writer.js';
import { groupSignal } from './group-signal.js';
import { HandlerFailedError } from './handler-runner.js';
import { KnownRows } from './known-rows.js';
import { Pauses } from './pauses.js';
import { describeFailure } from './retry-policy.js';
import { NotBegunError, WorkerStoppingError } from './run-errors.js';
import type { LeasedItem } from './work-item.js';

/** What is left when a round ends early: nothing of it was written, and it starts again at `acquire`. */
export type RoundResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly items: readonly LeasedItem[]; readonly cause: Error; readonly singly: boolean };

type Step =
  | { readonly kind: 'finished' }
  | { readonly kind: 'split'; readonly groups: readonly (readonly LeasedItem[])[] }
  | { readonly kind: 'again'; readonly cause: Error; readonly singly: boolean };

const FINISHED: Step = { kind: 'finished' };

/**
 * Brings leased events to their end, as few transactions as can be: a group that fails is split down to the event at
 * fault, whose row is committed before any later event of its entity is tried (protocol.md, "Worker path").
 */
@Injectable()
export class EventProcessor {
  constructor(
    private readonly effects: EffectTransaction,
    private readonly failures: FailureWriter,
    private readonly finisher: EventFinisher,
    private readonly known: KnownRows,
    private readonly pauses: Pauses,
    private readonly clock: Clock,
  ) {}

  /** Items in transport order, each event once. Never rejects: infrastructure away is `again`. */
  async process(items: readonly LeasedItem[]): Promise<RoundResult> {
    const stack: (readonly LeasedItem[])[] = [items];
    for (let group = stack.pop(); group; group = stack.pop()) {
      if (group.length === 0) continue;
      const step = await this.step(group);
      if (step.kind === 'split') stack.push(...[...step.groups].reverse());
      if (step.kind !== 'again') continue;
      // What comes later may belong to the same entities, so it waits too.
      return { ...step, items: [...group, ...stack.reverse().flat()] };
    }
    return { kind: 'done' };
  }

  private async step(group: readonly LeasedItem[]): Promise<Step> {
    const { signal, stop } = groupSignal(group);
    try {
      return await this.attempt(group, signal);
    } catch (error) {
      try {
        return await this.afterError(group, error);
      } catch (second) {
        return { kind: 'again', cause: asError(second), singly: false };
      }
    } finally {
      stop();
    }
  }

  private async attempt(group: readonly LeasedItem[], signal: AbortSignal): Promise<Step> {
    await this.known.markStarts(group);
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        const now = this.clock.now();
        const result = await this.effects.run(group, signal, now);
        if (result.kind === 'known') return await this.goByRows(group);
        if (result.kind === 'overtaken') return await this.leave(group);
        await Promise.all(
          group.map((item, index) => this.finisher.finish(item, result.statuses[index] ?? 'DEAD', now)),
        );
        return FINISHED;
      } catch (error) {
        if (!(error instanceof TransactionConflictError)) throw error;
        if (!(await this.pauses.afterConflict(conflicts, signal))) throw error;
      }
    }
  }

  private async afterError(group: readonly LeasedItem[], error: unknown): Promise<Step> {
    const single = group.length === 1;
    // Events that ran together took their time together: alone, each gets a whole lease.
    if (error instanceof LeaseMaxLifeError && !single) return { kind: 'again', cause: error, singly: true };
    if (isAway(error)) return { kind: 'again', cause: asError(error), singly: false };
    if (single) return this.fail(group[0] as LeasedItem, error instanceof HandlerFailedError ? error.cause : error);
    if (error instanceof HandlerFailedError && error.index !== null) {
      const { index } = error;
      return { kind: 'split', groups: [group.slice(0, index), group.slice(index, index + 1), group.slice(index + 1)] };
    }
    const middle = Math.ceil(group.length / 2);
    return { kind: 'split', groups: [group.slice(0, middle), group.slice(middle)] };
  }

  private async fail(item: LeasedItem, error: unknown): Promise<Step> {
    const now = this.clock.now();
    const result = await this.failures.write(item, error, now);
    if (result.kind === 'known') return this.goByRows([item]);
    if (result.kind === 'overtaken') return this.leave([item]);
    await this.finisher.finish(item, result.status, now);
    return FINISHED;
  }

  /** Some events have rows: those are finished by them, the others are tried without them. */
  private async goByRows(group: readonly LeasedItem[]): Promise<Step> {
    const rows = await this.known.find(group);
    const isKnown = (item: LeasedItem): boolean => rows.has(item.identity.eventKey);
    // A key that is taken by a row which cannot be found is no reason to drop an event, nor to try at once for ever.
    if (!group.some(isKnown)) throw new DatabaseUnavailableError({ cause: new Error('a duplicate key without a row') });
    await this.finisher.finishKnown(group.filter(isKnown), rows, this.clock.now());
    return { kind: 'split', groups: [group.filter((item) => !isKnown(item))] };
  }

  private async leave(group: readonly LeasedItem[]): Promise<Step> {
    await this.known.release(group);
    return FINISHED;
  }
}

/** Infrastructure, and whatever took the lease or the lane away: it costs the event no attempt. */
function isAway(error: unknown): boolean {
  if (error instanceof TransactionConflictError || error instanceof DatabaseUnavailableError) return true;
  if (error instanceof LeaseLostError || error instanceof NotBegunError || error instanceof WorkerStoppingError)
    return true;
  return error instanceof LaneTakenAwayError;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(describeFailure(error).message);
}
