import { describe, expect, it } from 'vitest';
import { parseEvent } from '../wecom/parse-event.js';
import { plaintextOf } from './plaintext.js';

const fieldsOf = (text: string) => {
  const parsed = parseEvent(text, 'ww1');
  if (parsed.kind !== 'event') throw new Error(parsed.reason);
  return parsed.event.fields;
};

describe('plaintextOf', () => {
  it('leaves a text as it is', () => {
    expect(plaintextOf('<xml/>', 'ww1', 5)).toBe('<xml/>');
  });

  it('fills in the receiver and the time', () => {
    expect(fieldsOf(plaintextOf({ Event: 'x' }, 'ww1', 5))).toMatchObject({ ToUserName: 'ww1', CreateTime: '5' });
  });

  it('lets the fields say otherwise', () => {
    expect(fieldsOf(plaintextOf({ Event: 'x', CreateTime: 7 }, 'ww1', 5))).toMatchObject({ CreateTime: '7' });
  });

  it('writes nested and repeated elements, and text that looks like markup', () => {
    const odd = 'a]]>b <c> & 你好';
    const text = plaintextOf({ Event: 'x', Info: { SpNo: odd }, Item: [{ Id: 'a' }, { Id: 'b' }] }, 'ww1', 5);

    expect(fieldsOf(text)).toMatchObject({ Info: { SpNo: odd }, Item: [{ Id: 'a' }, { Id: 'b' }] });
  });
});
