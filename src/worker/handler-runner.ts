import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/unit-of-work.js';
import { Log } from '../observability/log.js';
import type { Command } from '../saga/state-machine.js';
import type { OutboxEntry } from '../saga/outbox.js';
import type { HandlerContext } from '../handlers/wecom-handler.js';
import { DEAD_LETTER_COMMAND } from './dead-letter.js';
import type { Planned } from './plan.js';
import { isInfrastructure } from './retry-policy.js';

/** A handler threw: the item at fault is known, so the group need not be searched for it. */
export class HandlerFailedError extends Error {
  readonly code = 'HANDLER_FAILED';

  constructor(
    readonly index: number,
    options: { cause: unknown },
  ) {
    super('a handler failed', options);
    this.name = 'HandlerFailedError';
  }
}

/** Runs the handlers of what is applied, in order, inside the transaction. */
@Injectable()
export class HandlerRunner {
  constructor(private readonly log: Log) {}

  /** Returns the commands of state machines and handlers. Rejects with `HandlerFailedError`, or the signal's reason. */
  async runAll(tx: Tx, planned: readonly Planned[], signal: AbortSignal): Promise<OutboxEntry[]> {
    const entries: OutboxEntry[] = [];
    for (const [index, plan] of planned.entries()) {
      if (plan.state.status !== 'APPLIED') continue;
      signal.throwIfAborted();
      try {
        entries.push(...(await this.run(tx, plan, signal)));
      } catch (error) {
        // An aborted handler may throw anything; why it was aborted decides what follows.
        signal.throwIfAborted();
        if (isInfrastructure(error)) throw error;
        throw new HandlerFailedError(index, { cause: error });
      }
    }
    return entries;
  }

  private async run(tx: Tx, plan: Planned, signal: AbortSignal): Promise<OutboxEntry[]> {
    const { item, apply, state } = plan;
    const commands: Command[] = [...(apply?.commands ?? [])];
    if (item.handler && item.event) {
      const { eventKey, app } = item.identity;
      const context: HandlerContext = {
        ...{ manager: tx.manager, signal, eventKey, app, attempt: state.attempt },
        ...movesOf(plan),
        outbox: { add: (command) => void commands.push(checked(command)) },
        logger: this.log.child({ handler: item.handler.name, eventKey }),
      };
      // A handler in plain JavaScript may return nothing.
      await untilAborted(Promise.resolve(item.handler.handler.handle(item.event, context)), signal);
    }
    const { eventKey } = item.identity;
    return commands.map((command, index) => ({
      ...{ idempotencyKey: `${eventKey}:${index}`, eventKey, command, dueAt: state.decidedAt },
    }));
  }
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
