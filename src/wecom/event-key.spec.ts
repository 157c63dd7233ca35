import { describe, expect, it } from 'vitest';
import { eventKey } from './event-key.js';
import { parseEvent } from './parse-event.js';

interface Delivery {
  readonly receiver: string;
  readonly receiveId: string;
  readonly volatile: readonly string[];
}

function keyOf(plaintext: string, changes: Partial<Delivery> = {}): string {
  const delivery = { receiver: 'self', receiveId: 'ww', volatile: [], ...changes };
  return eventKey({ ...delivery, plaintext, parsed: parseEvent(plaintext, delivery.receiveId) });
}

const MESSAGE = '<xml><ToUserName>ww</ToUserName><MsgType>text</MsgType><Content>a</Content><MsgId>1</MsgId></xml>';
const EVENT = '<xml><ToUserName>ww</ToUserName><CreateTime>1</CreateTime><Event>x</Event><A>1</A><B>2</B></xml>';
const DOORBELL = '<xml><Event>kf</Event><Token>t1</Token><Info><Token>u1</Token><Id>i</Id></Info></xml>';

describe('eventKey', () => {
  // These values are in databases. A change of them makes a new event of each delivery under way.
  it.each([
    ['a message', MESSAGE, '7a1a0f40a1cb4e636100b9bea65d914e3112934b341ef55fc45cf25a2bb11fd6'],
    ['an event without an id', EVENT, 'e0e4bf29c5919f532b928685abcca383250c8acdf7fe12099d0db252aafb9212'],
    [
      'a JSON event without an id',
      '{"Event":"x","b":[1,{"c":null}],"a":"1"}',
      'cb3d0095a3279744fbdba77ed20081c58c960bf0983cfcd53a490f5c1ad45a5c',
    ],
    ['a text that does not parse', 'hello', '78e7a936fa08330aeab83fe6d1b327e0cccb9c67716ce2df1d36d094026fa821'],
  ])('of %s is the same for ever', (_, plaintext, key) => {
    expect(keyOf(plaintext)).toBe(key);
  });

  it('of a message is its MsgId, whatever it says', () => {
    expect(keyOf(MESSAGE.replace('>a<', '>b<'))).toBe(keyOf(MESSAGE));
    expect(keyOf(MESSAGE.replace('>1<', '>2<'))).not.toBe(keyOf(MESSAGE));
    expect(keyOf(MESSAGE.replace('>1<', '>01<'))).not.toBe(keyOf(MESSAGE));
  });

  it('keeps receivers, tenants and types apart that share a MsgId', () => {
    const keys = [
      keyOf(MESSAGE),
      keyOf(MESSAGE, { receiver: 'self2' }),
      keyOf(MESSAGE.replace('>ww<', '>wv<')),
      keyOf(MESSAGE.replace('>text<', '>image<')),
    ];
    expect(new Set(keys).size).toBe(4);
  });

  it('does not run parts together', () => {
    const text = (corp: string, type: string): string =>
      `<xml><ToUserName>${corp}</ToUserName><MsgType>${type}</MsgType><MsgId>1</MsgId></xml>`;
    expect(keyOf(text('a', 'bc'))).not.toBe(keyOf(text('ab', 'c')));
    expect(keyOf(MESSAGE, { receiver: 'self2:ww' })).not.toBe(
      keyOf(MESSAGE.replace('>ww<', '>2:ww<'), { receiver: 'self' }),
    );
  });

  it('of an event is every field of it', () => {
    const variants = [
      EVENT,
      EVENT.replace('<B>2</B>', '<B>3</B>'),
      EVENT.replace('<B>2</B>', ''),
      EVENT.replace('<B>2</B>', '<B>2</B><B>2</B>'),
      EVENT.replace('<B>2</B>', '<B c="1">2</B>'),
      EVENT.replace('<B>2</B>', '<B><C>2</C></B>'),
      EVENT.replace('<A>1</A><B>2</B>', '<A>1</A><D/><B>2</B>'),
      EVENT.replace('<A>1</A><B>2</B>', '<B>2</B><A>1</A>'),
      EVENT.replace('<CreateTime>1<', '<CreateTime>2<'),
    ];
    expect(new Set(variants.map((variant) => keyOf(variant))).size).toBe(variants.length);
  });

  it('does not change with what means nothing', () => {
    expect(keyOf(EVENT.replace('<A>1</A>', '\n <A> <![CDATA[1]]>\n</A>'))).toBe(keyOf(EVENT));
    expect(keyOf('{"Event":"x","a":"1","b":"2"}')).toBe(keyOf('{ "b":"2", "a":"1", "Event":"x" }'));
  });

  it('leaves out volatile elements at their own path only', () => {
    const other = DOORBELL.replace('t1', 't2');
    const nested = DOORBELL.replace('u1', 'u2');
    expect(keyOf(other)).not.toBe(keyOf(DOORBELL));
    expect(keyOf(other, { volatile: ['Token'] })).toBe(keyOf(DOORBELL, { volatile: ['Token'] }));
    expect(keyOf(nested, { volatile: ['Token'] })).not.toBe(keyOf(DOORBELL, { volatile: ['Token'] }));
    expect(keyOf(nested, { volatile: ['Info.Token'] })).toBe(keyOf(DOORBELL, { volatile: ['Info.Token'] }));
    expect(keyOf(DOORBELL.replace('>i<', '>j<'), { volatile: ['Info.Token'] })).not.toBe(
      keyOf(DOORBELL, { volatile: ['Info.Token'] }),
    );
  });

  it('finds a volatile element inside the items of a list', () => {
    const text = (token: string): string => `{"Event":"x","a":[{"t":"${token}","i":"1"}]}`;
    expect(keyOf(text('1'), { volatile: ['a.t'] })).toBe(keyOf(text('2'), { volatile: ['a.t'] }));
    expect(keyOf(text('1'))).not.toBe(keyOf(text('2')));
  });

  it('of a text that does not parse is the text, for a receiver and a receive id', () => {
    const keys = [
      keyOf('hello'),
      keyOf('hello '),
      keyOf('hello', { receiver: 'b' }),
      keyOf('hello', { receiveId: 'wv' }),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(keyOf('hello')).toBe(keyOf('hello'));
  });

  it('keeps a message apart from a text that imitates it', () => {
    expect(keyOf('<xml><MsgType>unparsed</MsgType><MsgId>hello</MsgId></xml>')).not.toBe(keyOf('hello'));
  });
});
