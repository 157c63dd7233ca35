import { describe, expect, it } from 'vitest';
import { pad, unpad } from './pkcs7.js';

describe('unpad', () => {
  it('gives back what was padded, for each of the 32 lengths', () => {
    for (let length = 0; length <= 64; length++) {
      const data = Buffer.alloc(length, 0x61);
      const padded = pad(data);
      expect(padded.length % 32).toBe(0);
      expect(unpad(padded)).toEqual(data);
    }
  });

  it('checks every byte of the padding', () => {
    for (let count = 2; count <= 32; count++) {
      for (let wrong = 2; wrong <= count; wrong++) {
        const padded = Buffer.concat([Buffer.alloc(64 - count, 0x61), Buffer.alloc(count, count)]);
        padded[64 - wrong] = count + 1;
        expect(unpad(padded), `byte ${wrong} of ${count}`).toBeNull();
      }
    }
  });

  it.each([
    ['no byte', []],
    ['a count of 0', [...Buffer.alloc(31, 7), 0]],
    ['a count of 33', [...Buffer.alloc(64, 33)]],
    ['a count beyond the data', [...Buffer.alloc(16, 17)]],
  ])('refuses %s', (_, bytes) => {
    expect(unpad(Buffer.from(bytes))).toBeNull();
  });
});
