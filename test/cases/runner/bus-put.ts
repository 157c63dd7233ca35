import { eventKey } from '../../../src/wecom/event-key.js';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import { sleep } from './product-process.js';
import type { Profile } from './profiles.js';
import type { Stack } from './stack.js';
import type { TextGenerator } from './texts.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, UnsupportedError } from './verdict.js';

const APP = 'self';
const BASE64 = 'base64:';
const DEAD_LIMIT_MS = 60_000;

/** Says before a case is begun what cannot be put. */
export function checkBusPut(step: Step): void {
  const gen = (step['gen'] ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(gen).filter((name) => !['bytes', 'events', 'reasons'].includes(name));
  if (unknown.length > 0) throw new UnsupportedError(`bus.put gen: ${unknown.join(', ')} is not known here`);
  if (gen['events'] !== undefined || gen['reasons'] !== undefined) checkDeadEvents(step, gen);
  if (![undefined, 'valid'].includes(step['copyOf'] as string | undefined))
    throw new UnsupportedError(`bus.put copyOf ${step['copyOf']} is not known here`);
  const given = ['raw', 'value', 'copyOf', 'gen'].filter((name) => Object.hasOwn(step, name));
  if (given.length !== 1)
    throw new UnsupportedError(`bus.put needs one of raw, value, copyOf, gen; has ${given.length}`);
}

function checkDeadEvents(step: Step, { events, reasons, bytes }: Record<string, unknown>): void {
  if (step['toDlq'] !== true)
    throw new UnsupportedError('bus.put gen: events have reasons on the dead-letter topic only');
  const counts = Object.values((reasons ?? {}) as Record<string, number>);
  if (bytes !== undefined || events !== counts.reduce((total, count) => total + count, 0))
    throw new UnsupportedError('bus.put gen: events has to be the sum of its reasons');
}

/** What the embedded queue cannot hold as it is. */
export function noteOfBusPut(step: Step): string | null {
  if (step['raw'] === null) return 'a record without a value is an empty one on the embedded queue';
  const isBinary = typeof step['raw'] === 'string' && step['raw'].startsWith(BASE64);
  return isBinary ? 'a binary record is put as text with replacement marks: the embedded queue holds text' : null;
}

/** Puts a record straight onto a topic, as a stranger on a shared broker may. */
export async function putOnBus(step: Step, stack: Stack, profile: Profile, texts: TextGenerator): Promise<void> {
  if (!stack.product) throw new CaseFailedError('there is no process');
  const body = bodyOf(step, profile, texts);
  const { reasons } = (step['gen'] ?? {}) as { reasons?: Record<string, number> };
  if (reasons !== undefined) return putDeadEvents(reasons, stack, profile, texts);
  const topic = step['toDlq'] === true ? 'dlq' : 'events';
  await stack.product.ask({ ask: 'publish', topic, orderingKey: 'put-by-a-case', body });
}

/**
 * Copies of dead events, as a gateway puts them onto the dead-letter topic, whose rows are not in this database. Returns
 * when each is a dead letter of the product. The reasons lie among each other, as they would.
 */
async function putDeadEvents(
  reasons: Readonly<Record<string, number>>,
  stack: Stack,
  profile: Profile,
  texts: TextGenerator,
): Promise<void> {
  const told = Object.entries(reasons).flatMap(([reason, count]) =>
    Array.from({ length: count }, (_, n) => ({ reason, place: (n + 0.5) / count })),
  );
  told.sort((a, b) => a.place - b.place);
  for (const [index, { reason }] of told.entries()) {
    const deadLetter = { code: 'DEAD_BY_A_CASE', reason, attempt: 1, generation: 0, at: Date.now() };
    const body = JSON.stringify({ ...validMessage(profile, texts), deadLetter });
    await stack.product?.ask({ ask: 'publish', topic: 'dlq', orderingKey: `put-by-a-case-${index}`, body });
  }
  const deadline = Date.now() + DEAD_LIMIT_MS;
  for (let dead = 0; dead < told.length;) {
    dead = (await stack.admin('summary')).json.statuses.DEAD ?? 0;
    if (Date.now() > deadline) throw new CaseFailedError(`of ${told.length} dead events ${dead} are dead letters`);
    await sleep(50);
  }
}

function bodyOf(step: Step, profile: Profile, texts: TextGenerator): string {
  if (step['copyOf'] !== undefined) return JSON.stringify({ ...validMessage(profile, texts), ...step['add'] });
  if (step['gen'] !== undefined) return 'x'.repeat(Number((step['gen'] as { bytes: number }).bytes));
  if (step['value'] !== undefined) return JSON.stringify(step['value']);
  const raw = step['raw'] as string | null;
  if (raw === null) return '';
  return raw.startsWith(BASE64) ? Buffer.from(raw.slice(BASE64.length), 'base64').toString('utf8') : raw;
}

/** A message as a gateway makes it: version 1 of the envelope (docs and `src/transport/message.ts`). */
function validMessage({ receiveId }: Profile, texts: TextGenerator): Record<string, unknown> {
  const plaintext = texts.text({ kind: 'text' }, 0);
  const parsed = parseEvent(plaintext, receiveId);
  if (parsed.kind !== 'event') throw new Error('the generated text does not parse');
  const { corpId, eventType, changeType, msgId, createTime } = parsed.event;
  return {
    v: 1,
    eventKey: eventKey({ receiver: APP, parsed, receiveId, plaintext, volatile: [] }),
    ...{ app: APP, corpId, eventType, changeType, entityKey: null, msgId, createTime, plaintext },
    ...{ payloadKeyId: null, trace: null },
    gateway: { receivedAt: Date.now(), instance: 'case', guard: 'claimed', spooledSince: null },
  };
}
