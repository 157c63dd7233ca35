import { eventKey } from '../../../src/wecom/event-key.js';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import type { Profile } from './profiles.js';
import type { Stack } from './stack.js';
import type { TextGenerator } from './texts.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, UnsupportedError } from './verdict.js';

const APP = 'self';
const BASE64 = 'base64:';

/** Says before a case is begun what cannot be put. */
export function checkBusPut(step: Step): void {
  const gen = (step['gen'] ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(gen).filter((name) => name !== 'bytes');
  if (unknown.length > 0) throw new UnsupportedError(`bus.put gen: ${unknown.join(', ')} is not known here`);
  if (![undefined, 'valid'].includes(step['copyOf'] as string | undefined))
    throw new UnsupportedError(`bus.put copyOf ${step['copyOf']} is not known here`);
  const given = ['raw', 'value', 'copyOf', 'gen'].filter((name) => Object.hasOwn(step, name));
  if (given.length !== 1)
    throw new UnsupportedError(`bus.put needs one of raw, value, copyOf, gen; has ${given.length}`);
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
  const topic = step['toDlq'] === true ? 'dlq' : 'events';
  await stack.product.ask({ ask: 'publish', topic, orderingKey: 'put-by-a-case', body });
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
