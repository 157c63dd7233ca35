import { describe, expect, it } from 'vitest';
import { errorGroupOf, normalisedMessage } from './error-group.js';

describe('errorGroupOf', () => {
  it.each([
    ['order 17 is missing', 'order 18 is missing'],
    ['no row for "wmAbC"', 'no row for "other"'],
    ['timeout after 1,500.25 ms', 'timeout after 3 ms'],
    ['GET https://a/b?c=1 failed', 'GET https://d/e failed'],
    ['event 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'event 9b2504e0-4f89-41d3-9a0c-0305e82c3302'],
    ['key wmR9a-7vQAAAAbCdEfGh12 unknown', 'key woZZ_1239aaaaaaaaBBBB unknown'],
    ['a  b\n c', 'a b c'],
  ])('takes %j and %j for one cause', (one, other) => {
    expect(errorGroupOf('E', one)).toBe(errorGroupOf('E', other));
  });

  it('keeps other codes and other messages apart', () => {
    const groups = [errorGroupOf('E', 'a'), errorGroupOf('F', 'a'), errorGroupOf('E', 'b'), errorGroupOf('E', null)];
    expect(new Set(groups).size).toBe(4);
  });

  it('has no group without an error, and one that fits its column and a URL', () => {
    expect(errorGroupOf(null, 'a')).toBeNull();
    const group = errorGroupOf('错误/E'.repeat(40), 'x'.repeat(100_000)) ?? '';
    expect(group).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
  });

  it('leaves words as they are', () => {
    expect(normalisedMessage('TypeError: cannot read properties of undefined')).toBe(
      'TypeError: cannot read properties of undefined',
    );
  });
});
