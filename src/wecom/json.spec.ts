import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './json.js';
import { TREE_DEPTH_MAX, TREE_NODE_COUNT_MAX } from './tree.js';

function members(text: string): unknown {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.root.children.map(({ name, kind, text: value }) => [name, kind, value]) : parsed.reason;
}

describe('parseJson', () => {
  it('keeps numbers by their spelling and apart from strings', () => {
    expect(members('{"a":4561255354251345929,"b":1.0,"c":1e400,"d":"1.0","e":-0}')).toEqual([
      ['a', 'scalar', '4561255354251345929'],
      ['b', 'scalar', '1.0'],
      ['c', 'scalar', '1e400'],
      ['d', 'text', '1.0'],
      ['e', 'scalar', '-0'],
    ]);
  });

  it('keeps booleans, null, strings, arrays and objects apart', () => {
    expect(members('{"a":true,"b":null,"c":"null","d":[],"e":{}}')).toEqual([
      ['a', 'scalar', 'true'],
      ['b', 'scalar', 'null'],
      ['c', 'text', 'null'],
      ['d', 'list', ''],
      ['e', 'object', ''],
    ]);
  });

  it('does not trim strings', () => {
    expect(members('{"a":" x "}')).toEqual([['a', 'text', ' x ']]);
  });

  it('takes names that are special in JavaScript for names', () => {
    const text = '{"__proto__":{"polluted":"yes"},"constructor":"c","hasOwnProperty":"h"}';
    expect(members(text)).toEqual([
      ['__proto__', 'object', ''],
      ['constructor', 'text', 'c'],
      ['hasOwnProperty', 'text', 'h'],
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['two values of one name', '{"a":1,"a":2}'],
    ['half a character', '{"a":"\\ud83d"}'],
    ['half a character in a name', '{"\\uDE00":"a"}'],
    ['the published sample with a stray quote', '{ "FromUserName": :mycreate", "CreateTime": 1409659813 }'],
    ['text behind the value', '{} {}'],
    ['a comma too many', '{"a":1,}'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(parseJson(text)).toEqual({ ok: false, reason: 'not-well-formed' });
  });

  it('reads a character that is written as two escapes', () => {
    expect(members('{"a":"\\ud83d\\ude00"}')).toEqual([['a', 'text', '😀']]);
  });

  it('bounds the depth before it recurses, and counts no bracket inside a string', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(TREE_DEPTH_MAX))).toMatchObject({ ok: true });
    expect(parseJson(nested(TREE_DEPTH_MAX + 1))).toEqual({ ok: false, reason: 'too-deep' });
    expect(parseJson('['.repeat(1_000_000))).toEqual({ ok: false, reason: 'too-deep' });
    expect(parseJson('{"a":'.repeat(1_000_000))).toEqual({ ok: false, reason: 'too-deep' });
    expect(members(`{"a":"\\"${'['.repeat(99)}","b":[]}`)).toEqual([
      ['a', 'text', `"${'['.repeat(99)}`],
      ['b', 'list', ''],
    ]);
  });

  it('bounds the number of values', () => {
    const flat = (count: number): string => `[${Array.from({ length: count - 1 }, () => 1).join(',')}]`;
    expect(parseJson(flat(TREE_NODE_COUNT_MAX))).toMatchObject({ ok: true });
    expect(parseJson(flat(TREE_NODE_COUNT_MAX + 1))).toEqual({ ok: false, reason: 'too-many-nodes' });
  });

  it('takes what JSON.stringify writes, and never throws on a change of it', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\\u', '0', '-', 'e', '\0');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(60), piece, (value, at, inserted) => {
        const text = JSON.stringify(value);
        expect(parseJson(text)).toMatchObject({ ok: true });
        expect(typeof parseJson(text.slice(0, at) + inserted + text.slice(at)).ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });
});
