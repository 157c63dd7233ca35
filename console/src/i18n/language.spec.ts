import { describe, expect, it } from 'vitest';
import { en } from './en.js';
import { preferred } from './language.js';
import { zhCn } from './zh-cn.js';

describe('languages', () => {
  it.each([
    [['zh-TW', 'en'], 'zh-CN'],
    [['fr', 'zh'], 'zh-CN'],
    [['en-GB', 'zh-CN'], 'en'],
    [['fr', 'de'], 'en'],
    [[], 'en'],
  ])('for a browser that prefers %j it is %s', (languages, expected) => {
    expect(preferred(languages)).toBe(expected);
  });

  it('have the same keys, also where the type leaves them open', () => {
    expect(keysOf(zhCn)).toEqual(keysOf(en));
  });

  it('say everything in Chinese that is more than a name', () => {
    // Names of WeCom's and of code are the same in both.
    const names = /(\.msgId|\.createTime|\.token|\.aesKey|order\.(strict|latest)|events\.columns\.)$/;
    const left = [...textsOf(zhCn)].filter(([key, text]) => !/[\u4e00-\u9fff]/.test(text) && !names.test(key));
    expect(left).toEqual([]);
  });
});

function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value)
    .flatMap(([key, inner]) => keysOf(inner, `${path}.${key}`))
    .sort();
}

function* textsOf(value: unknown, path = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* textsOf(inner, `${path}.${key}`);
}
