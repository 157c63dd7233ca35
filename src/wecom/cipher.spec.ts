import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAesKey } from './aes-key.js';
import { BINARY_PREFIX, decrypt, encrypt } from './cipher.js';
import { pad } from './pkcs7.js';

const key = decodeAesKey('zzjYlymNdHDmDz8cvAsvCLextYmBmuBNSm1VpqpyYU4');
const random16 = Buffer.from('0123456789abcdef');

/** Seals content as given, whatever it is. */
function sealRaw(content: Buffer): string {
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(content), cipher.final()]).toString('base64');
}

function sealMessage(message: Buffer, length = message.length): string {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(length);
  return sealRaw(pad(Buffer.concat([random16, head, message, Buffer.from('corp')])));
}

describe('decrypt', () => {
  it('opens what encrypt sealed, whatever the text, the id and the random bytes', () => {
    const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
        bytes16,
        (text, receiveId, random) => {
          const sealed = encrypt(text, receiveId, key, Buffer.from(random));
          const opened = decrypt(sealed, key, ['other', receiveId]);
          expect(opened).toEqual({ ok: true, plaintext: text, receiveId, random16: Buffer.from(random) });
        },
      ),
    );
  });

  it('never throws on a ciphertext that was changed', () => {
    const sealed = encrypt('<xml>...</xml>'.repeat(9), 'corp', key, random16);
    const character = fc.constantFrom('A', '/', '=', ' ', '-', '中', '');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), character, (at, replacement) => {
        const changed = sealed.slice(0, at) + replacement + sealed.slice(at + 1);
        expect(typeof decrypt(changed, key, ['corp']).ok).toBe('boolean');
      }),
    );
  });

  it.each([
    ['a blank', ' '],
    ['a line break', '\n'],
    ['the URL-safe minus', '-'],
    ['the URL-safe underscore', '_'],
    ['an equals sign in the middle', '='],
  ])('refuses base64 with %s', (_, character) => {
    const sealed = encrypt('text', 'corp', key, random16);
    const error = { ok: false, error: 'bad-base64', officialCode: -40010 };
    expect(decrypt(`${sealed.slice(0, 8)}${character}${sealed.slice(9)}`, key, ['corp'])).toEqual(error);
  });

  it('refuses base64 that is not filled up to four', () => {
    const sealed = encrypt('text', 'corp', key, random16).replace(/=+$/, '');
    expect(decrypt(sealed, key, ['corp'])).toMatchObject({ error: 'bad-base64' });
  });

  it('compares receive ids whole and in their case, and an empty one only with an empty one', () => {
    const sealed = encrypt('text', 'wmAbC', key, random16);
    for (const accepted of ['wmabc', 'wmAb', 'wmAbCd', '']) {
      expect(decrypt(sealed, key, [accepted])).toMatchObject({ error: 'receive-id-mismatch', officialCode: -40005 });
    }
    expect(decrypt(sealed, key, [])).toMatchObject({ error: 'receive-id-mismatch' });
    expect(decrypt(encrypt('text', '', key, random16), key, ['wmAbC'])).toMatchObject({ ok: false });
    expect(decrypt(encrypt('text', '', key, random16), key, [''])).toMatchObject({ ok: true, receiveId: '' });
  });

  it.each([5, 0x7fffffff, 0x80000000, 0xffffffff])('refuses a length field of %d for 4 bytes and no id', (length) => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    const sealed = sealRaw(pad(Buffer.concat([random16, head, Buffer.from('text')])));
    expect(decrypt(sealed, key, [''])).toMatchObject({ error: 'illegal-buffer' });
  });

  it('refuses content that is too short for a length field', () => {
    expect(decrypt(sealRaw(pad(Buffer.alloc(19))), key, [''])).toMatchObject({ error: 'illegal-buffer' });
  });

  it('keeps every byte of a text that is not UTF-8, so that two of them never become one', () => {
    const first = decrypt(sealMessage(Buffer.from([0x61, 0xff])), key, ['corp']);
    const second = decrypt(sealMessage(Buffer.from([0x61, 0xfe])), key, ['corp']);
    expect(first).toMatchObject({ ok: true, plaintext: `${BINARY_PREFIX}Yf8=` });
    expect(second).toMatchObject({ ok: true, plaintext: `${BINARY_PREFIX}Yf4=` });
  });
});

describe('encrypt', () => {
  it('will not seal with fewer random bytes than the layout has', () => {
    expect(() => encrypt('text', 'corp', key, Buffer.alloc(15))).toThrow(RangeError);
  });
});
