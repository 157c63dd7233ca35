import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';
import { Log } from '../observability/log.js';
import type { Command } from '../saga/state-machine.js';
import type { OutboxEntry } from '../saga/outbox.js';
import type { RowState } from '../event-log/event-log.js';
import { HandlerPauses } from '../handlers/handler-pauses.js';
import type { HandlerCall, HandlerContext } from '../handlers/wecom-handler.js';
import { DEAD_LETTER_COMMAND } from './dead-letter.js';
import { groupRuns, type DueRun } from './handler-groups.js';
import type { Planned } from './plan.js';
import type { WorkItem } from './work-item.js';
import { isInfrastructure } from './retry-policy.js';
import { WorkerMetrics, type RunResult } from './worker-metrics.js';

/** A handler threw: where it had one event, the item at fault is known, and the group need not be searched for it. */
export class HandlerFailedError extends Error {
  readonly code = 'HANDLER_FAILED';

  constructor(
    /** Null when a handler had several events at once. */
    readonly index: number | null,
    options: { cause: unknown },
  ) {
    super('a handler failed', options);
    this.name = 'HandlerFailedError';
  }
}

interface HandlerRun extends DueRun, HandlerCall {
  readonly index: number;
  readonly name: string;
}

/** Runs the handlers of what is applied inside the transaction, for each entity in order. */
@Injectable()
export class HandlerRunner {
  constructor(
    private readonly pauses: HandlerPauses,
    private readonly metrics: WorkerMetrics,
    private readonly log: Log,
  ) {}

  /** Names of handlers that are paused now, as far as these messages need them. Of rows it was asked before their run. */
  async pausedOf(tx: Tx, items: readonly WorkItem[]): Promise<ReadonlySet<string>> {
    const asks = items.some(({ handler, origin }) => handler !== null && origin.kind === 'message');
    return asks ? this.pauses.names(tx) : new Set();
  }

  /** Returns the commands of state machines and handlers. Rejects with `HandlerFailedError`, or the signal's reason. */
  async runAll(tx: Tx, planned: readonly Planned[], signal: AbortSignal): Promise<OutboxEntry[]> {
    const commands = planned.map(({ state, apply }) =>
      state.status === 'APPLIED' ? [...(apply?.commands ?? [])] : [],
    );
    const runs = planned.flatMap((plan, index) => this.due(tx, plan, index, commands[index] ?? [], signal));
    const groups = groupRuns(runs);
    for (const group of groups) {
      signal.throwIfAborted();
      try {
        // A handler in plain JavaScript may return nothing.
        await untilAborted(Promise.resolve(call(group)), signal);
      } catch (error) {
        // An aborted handler may throw anything; why it was aborted decides what follows.
        signal.throwIfAborted();
        if (isInfrastructure(error)) throw error;
        // Of several events each is run again in a smaller group, and counts there.
        if (planned.length === 1) this.count(group, 'failed');
        throw new HandlerFailedError(group.length === 1 ? (group[0] as HandlerRun).index : null, { cause: error });
      }
    }
    for (const group of groups) this.count(group, 'ok');
    return planned.flatMap(({ item, state }, at) => outboxEntries(item.identity.eventKey, commands[at] ?? [], state));
  }

  private count(group: readonly HandlerRun[], result: RunResult): void {
    const [first] = group;
    if (first) this.metrics.ran(first.name, result, group.length);
  }

  private due(tx: Tx, plan: Planned, index: number, commands: Command[], signal: AbortSignal): HandlerRun[] {
    const { item, state } = plan;
    if (state.status !== 'APPLIED' || !item.handler || !item.event) return [];
    const { eventKey, app } = item.identity;
    const context: HandlerContext = {
      ...{ manager: tx.manager, signal, eventKey, app, attempt: state.attempt },
      ...movesOf(plan),
      outbox: { add: (command) => void commands.push(checked(command)) },
      logger: this.log.child({ handler: item.handler.name, eventKey }),
    };
    const entityKeys = item.entity ? [item.entity, ...item.entity.others].map(({ key }) => key) : [];
    const { name, handler } = item.handler;
    return [{ index, name, handler, entityKeys, event: item.event, context }];
  }
}

/** Alone, an event goes to `handle`: a batch that is halved ends there. */
function call(group: readonly HandlerRun[]): Promise<void> | undefined {
  const [first] = group;
  return group.length === 1 ? first?.handler.handle(first.event, first.context) : first?.handler.handleMany?.(group);
}

function outboxEntries(eventKey: string, commands: readonly Command[], { decidedAt }: RowState): OutboxEntry[] {
  return commands.map((command, index) => ({
    ...{ idempotencyKey: `${eventKey}:${index}`, eventKey, command, dueAt: decidedAt },
  }));
}

function movesOf({ item, apply, others, stays }: Planned): Pick<HandlerContext, 'move' | 'others'> {
  const { entity } = item;
  const from = apply?.from ?? stays;
  const move = { from, to: apply?.next.state ?? stays, applied: apply !== null };
  return {
    move: entity && { entityKey: entity.key, ...move },
    others: others.map((other) => {
      const { key, ref } = other.entity;
      const applied = other.apply !== null;
      return {
        entityKey: key,
        entityId: ref.entityId,
        from: other.apply?.from ?? other.state,
        to: other.state,
        applied,
      };
    }),
  };
}

/** A command that cannot be sent would hold up the relay for ever: it fails the handler that made it. */
function checked(command: Command): Command {
  const fields = command as Partial<Record<string, unknown>> | null;
  const texts = fields?.['kind'] === 'http' ? ['name', 'url', 'body'] : ['name', 'topic', 'key', 'body'];
  const isKnown = fields?.['kind'] === 'http' || fields?.['kind'] === 'topic';
  if (!isKnown || texts.some((name) => typeof fields[name] !== 'string')) {
    throw new TypeError(
      'outbox.add: a command has a kind (http, topic), a name, a body, and url, or topic and key, as text',
    );
  }
  if (fields['name'] === DEAD_LETTER_COMMAND)
    throw new TypeError(`outbox.add: the name ${DEAD_LETTER_COMMAND} is taken`);
  return command;
}

/** A handler that ignores its signal must not keep the transaction open: it is left behind, and can write no more. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
