import { describe, expect, it } from 'vitest';
import { canonicalName, NAME, passwordFault } from './user-rules.js';

describe('a name', () => {
  it.each(['anna', 'Anna.B-1_2@corp.example', '张三', 'é', 'x'.repeat(64)])('may be %s', (name) => {
    expect(NAME.test(canonicalName(name))).toBe(true);
  });

  it.each([
    '',
    ' ',
    'a b',
    'a\n',
    'token:x',
    '(anonymous)',
    'a/b',
    'a%2Fb',
    '<b>',
    'a\u200bb',
    '\u202ea',
    'x'.repeat(65),
  ])('is not %j', (name) => {
    expect(NAME.test(canonicalName(name))).toBe(false);
  });
});

describe('a password', () => {
  it.each(['correct horse battery', '一二三四五六七八九十十一', 'adminadmin12345', 'aB3$.aB3$.aB3$.'])(
    'may be %s',
    (password) => {
      expect(passwordFault(password, 'admin')).toBeNull();
    },
  );

  it.each([
    ['of eleven characters', 'abcdefghijk', 'at least 12'],
    ['of eleven characters that UTF-16 counts twice', '𝒳'.repeat(11), 'at least 12'],
    ['of 257 characters', 'abcdef'.repeat(43).slice(0, 257), 'at most 256'],
    ['of four letters over and over', 'abcdabcdabcd', 'different'],
    ['that is the name, over and over', 'AdminAdminAdmin', 'more than the name'],
    ['that is the name and a year', 'adminadmin2026', 'more than the name'],
  ])('is none %s', (_what, password, fault) => {
    expect(passwordFault(password, 'admin')).toContain(fault);
  });
});
