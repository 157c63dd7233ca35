import { describe, expect, it } from 'vitest';
import { entityKeyOf } from './entity-ref.js';

const key = (entityId: string, receiver = 'self'): string =>
  entityKeyOf({ receiver, corpId: 'ww1', entityType: 't', entityId });

describe('the entity key', () => {
  it('is readable, and one spelling a text', () => {
    expect(key('wmAbC')).toBe('self/ww1/t/wmAbC');
    const ids = ['a/b', 'a%2Fb', 'a~b', 'a%7Eb', 'wmAbC', 'wmabc', 'x', 'x ', '张三', '\ud800', '\udc00', '%ud800', ''];
    expect(new Set(ids.map((id) => key(id))).size).toBe(ids.length);
    expect(key('c', 'a/b')).not.toBe(key('b/c', 'a'));
  });

  it('fits its column, and long ids stay apart, also from one that is spelled like a shortened key', () => {
    const long = 'x'.repeat(2_000);
    const [first, second] = [key(`${long}1`), key(`${long}2`)];
    expect([first.length, second.length].every((length) => length <= 400)).toBe(true);
    expect(first).not.toBe(second);
    expect(key(first.slice('self/ww1/t/'.length))).not.toBe(first);
  });
});
