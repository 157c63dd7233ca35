import { describe, expect, it } from 'vitest';
import { BUILT_IN_ENTITY_TYPES } from '../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../src/entity-types/entity-type-registry.js';
import { decodeMessage, encodeMessage } from '../../src/transport/message-codec.js';
import type { Message } from '../../src/transport/message.js';
import { decrypt } from '../../src/wecom/cipher.js';
import { openEnvelope } from '../../src/wecom/envelope.js';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { envelopeOf, seal } from '../support/sealer.js';
import { SeededRandom } from '../support/seeded-random.js';
import { fuzzBox } from './fuzz-box.js';
import { Mutator } from './mutator.js';
import { SAMPLES } from './samples.js';

const KEY = 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C';
const APP = { token: 'tokenOne', encodingAESKey: KEY, receiveId: 'wwtest' };
const AES_KEY = Buffer.from(`${KEY}=`, 'base64');
/** Far above what any of these inputs takes, and far below what a quadratic parser would. */
const LIMIT_MS = 500;

const MESSAGE: Message = {
  v: 1,
  eventKey: 'a'.repeat(64),
  app: 'self',
  corpId: 'ww1',
  eventType: 'sys_approval_change',
  changeType: null,
  entityKey: 'b'.repeat(64),
  msgId: null,
  createTime: 1_796_000_400,
  plaintext: SAMPLES[0]!.toString(),
  payloadKeyId: null,
  trace: null,
  gateway: { receivedAt: 1, instance: 'i', guard: 'claimed', spooledSince: null },
};

describe('what reads foreign bytes', () => {
  const box = fuzzBox();
  const mutator = new Mutator(new SeededRandom(box.seed));
  const registry = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);

  /** One kind of answer and never an exception; soon; and the same again for the same bytes. */
  function steady<T>(round: number, input: Buffer, read: () => T): T {
    const from = performance.now();
    let first: T;
    try {
      first = read();
    } catch (error) {
      throw new Error(`round ${round} threw on ${input.toString('base64')}`, { cause: error });
    }
    expect(performance.now() - from, `round ${round} took long on ${input.toString('base64')}`).toBeLessThan(LIMIT_MS);
    expect(read()).toEqual(first);
    return first;
  }

  it('makes one event or one unparsed text of any plaintext, with a key and without an exception', () => {
    let events = 0;
    for (const round of box.rounds()) {
      const input = mutator.mutate(mutator.pick(SAMPLES));
      const plaintext = input.toString('utf8');
      const parsed = steady(round, input, () => parseEvent(plaintext, 'wwtest'));
      const identity = { receiver: 'self', parsed, receiveId: 'wwtest', plaintext, volatile: [] };
      expect(steady(round, input, () => eventKey(identity))).toMatch(/^[0-9a-f]{64}$/);
      if (parsed.kind !== 'event') continue;
      events += 1;
      // Only an entity's own key may fail, and by its own error: the worker makes a dead letter of that.
      try {
        registry.entityOf('self', parsed.event);
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENTITY_KEY_FAILED' });
      }
    }
    expect(events).toBeGreaterThan(100);
  });

  it('opens an envelope or refuses it', () => {
    let opened = 0;
    for (const round of box.rounds()) {
      const { encrypt } = seal(APP, mutator.pick(SAMPLES));
      const input = mutator.mutate(Buffer.from(envelopeOf(APP, encrypt)));
      const envelope = steady(round, input, () => openEnvelope(input));
      if (!envelope.ok) continue;
      opened += 1;
      const plain = steady(round, input, () => decrypt(envelope.encrypt, AES_KEY, ['wwtest']));
      // CBC has no seal of its own, so damage may decrypt to another text; the signature is what stands before it.
      expect(typeof plain.ok).toBe('boolean');
    }
    expect(opened).toBeGreaterThan(100);
  });

  it('reads a record of the transport as a message, as foreign or as newer', () => {
    const whole = Buffer.from(encodeMessage(MESSAGE));
    const kinds = new Set<string>();
    for (const round of box.rounds()) {
      const input = mutator.mutate(whole);
      kinds.add(steady(round, input, () => decodeMessage(input.toString('utf8'))).kind);
    }
    expect([...kinds]).toEqual(expect.arrayContaining(['message', 'foreign']));
  });
});
