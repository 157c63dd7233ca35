import { describe, expect, it } from 'vitest';
import { decodeMessage, encodeMessage } from './message-codec.js';
import type { Message } from './message.js';

const MESSAGE: Message = {
  v: 1,
  eventKey: 'a'.repeat(64),
  app: 'self',
  corpId: 'ww1',
  eventType: 'text',
  changeType: null,
  entityKey: null,
  msgId: '7300000000000000001',
  createTime: 1_796_000_400,
  plaintext: '<xml/>',
  payloadKeyId: null,
  trace: null,
  gateway: { receivedAt: 1, instance: 'i', guard: 'claimed', spooledSince: null },
};
const changed = (change: object): string => JSON.stringify({ ...MESSAGE, ...change });

describe('the envelope', () => {
  it('comes back as it went, with fields that are not known yet', () => {
    expect(decodeMessage(encodeMessage(MESSAGE))).toEqual({ kind: 'message', message: MESSAGE });
    expect(decodeMessage(changed({ later: 1 }))).toMatchObject({ kind: 'message', message: { later: 1 } });
  });

  it('is not guessed at when it is of a higher version', () => {
    expect(decodeMessage(changed({ v: 2, eventKey: 5 }))).toEqual({ kind: 'newer', version: 2 });
  });

  it.each([
    ['nothing', ''],
    ['null', 'null'],
    ['half an object', '{'],
    ['a text', '"x"'],
    ['a list', '[]'],
    ['another object', '{}'],
    ['a number where text belongs', changed({ plaintext: 5 })],
    ['no tenant', changed({ corpId: undefined })],
    ['a key that is no digest', changed({ eventKey: 'x' })],
    ['a NUL in the key', changed({ eventKey: `${'a'.repeat(63)}\0` })],
    ['half a character', changed({ corpId: '\ud800' })],
    ['half a character in the entity key', changed({ entityKey: 'a\udc00' })],
    ['a time that is no number', changed({ createTime: '1' })],
    ['no gateway', changed({ gateway: null })],
  ])('is foreign, with a reason, when it is %s', (_, body) => {
    const decoded = decodeMessage(body);
    expect(decoded).toMatchObject({ kind: 'foreign' });
    expect(decoded.kind === 'foreign' && decoded.reason.length > 0).toBe(true);
  });
});
