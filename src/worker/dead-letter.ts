import type { RowState } from '../event-log/event-log.js';
import type { OutboxEntry } from '../saga/outbox.js';
import type { WorkItem } from './work-item.js';

/** What a dead-letter topic gets of a dead event: enough to act on it without this service's database. */
export interface DeadLetterCopy {
  readonly v: 1;
  readonly deadLetter: {
    readonly code: string | null;
    readonly reason: string | null;
    readonly attempt: number;
    readonly generation: number;
    readonly at: number;
  };
}

/** The relay never gives these up, so no handler's command may have the name. */
export const DEAD_LETTER_COMMAND = 'dead-letter';

/**
 * The copy for the dead-letter topic, sent through the outbox so that it and the DEAD row are one. The generation is part
 * of its key: an event that dies again after a redrive is told again.
 */
export function deadLetterEntry(item: WorkItem, state: RowState, dlqTopic: string, now: number): OutboxEntry {
  const { eventKey, app, corpId, eventType, changeType, entityKey, msgId, createTime, plaintext, receivedAt, facts } =
    item.identity;
  const generation = item.origin.kind === 'row' ? item.origin.version.generation : 0;
  const copy: DeadLetterCopy & Record<string, unknown> = {
    ...{ v: 1, eventKey, app, corpId, eventType, changeType, entityKey, msgId, createTime, plaintext },
    ...{ payloadKeyId: null, trace: null },
    gateway: { receivedAt, instance: '', guard: 'claimed', spooledSince: null, ...(JSON.parse(facts) as object) },
    deadLetter: { code: state.errorCode, reason: state.errorMessage, attempt: state.attempt, generation, at: now },
  };
  const command = {
    kind: 'topic' as const,
    name: DEAD_LETTER_COMMAND,
    topic: dlqTopic,
    key: entityKey ?? eventKey,
    body: JSON.stringify(copy),
  };
  return { idempotencyKey: `${eventKey}:dead:${generation}`, eventKey, command, dueAt: now };
}

// As wide as its column, and of letters that each database's column takes: others may write to the topic.
const CODE = /^[\w.:-]{1,64}$/;

/** What a message died of, as a copy of ours tells it; null when it tells nothing that could be kept. */
export function deathTold(body: string): { code: string; reason: string } | null {
  const { deadLetter } = JSON.parse(body) as { deadLetter?: { code?: unknown; reason?: unknown } | null };
  const { code, reason } = deadLetter ?? {};
  if (typeof code !== 'string' || !CODE.test(code)) return null;
  return typeof reason === 'string' && reason.isWellFormed() ? { code, reason } : null;
}
