import { describe, expect, it } from 'vitest';
import { decodeAesKey, IllegalAesKeyError } from './aes-key.js';

const KEY = 'kWxPEV2UEDyxWpmPdKC3F4dgPDmOvfKX1HGnEUDS1aQ';

describe('decodeAesKey', () => {
  it('gives 32 bytes', () => {
    expect(decodeAesKey(KEY)).toHaveLength(32);
  });

  it('ignores the two spare bits of the last character', () => {
    expect(decodeAesKey(`${KEY.slice(0, -1)}R`)).toEqual(decodeAesKey(KEY));
  });

  it.each([
    ['a line break at the end', `${KEY}\n`],
    ['an equals sign at the end', `${KEY}=`],
    ['quotes', `"${KEY}"`],
    ['a blank inside', `${KEY.slice(0, 20)} ${KEY.slice(21)}`],
    ['the URL-safe alphabet', `${KEY.slice(0, -1)}_`],
    ['31 characters', KEY.slice(0, 31)],
  ])('refuses a key with %s, naming the rule and not the value', (_, key) => {
    let caught: unknown;
    try {
      decodeAesKey(key);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(IllegalAesKeyError);
    expect(caught).toMatchObject({ code: 'WECOM_AES_KEY_ILLEGAL', officialCode: -40004 });
    expect((caught as Error).message).toContain('43');
    expect((caught as Error).message).not.toContain(KEY.slice(0, 6));
  });
});
