import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SignedParts, sign, verifySignature } from './signature.js';

const parts: SignedParts = { token: 'tok', timestamp: '1796000400', nonce: 'n1', encrypt: 'YWJj' };
const right = sign(parts);

describe('verifySignature', () => {
  it('accepts the signature that belongs to the parts', () => {
    expect(verifySignature(parts, right)).toBe(true);
  });

  it.each([
    ['another token', { ...parts, token: 'toc' }],
    ['another timestamp', { ...parts, timestamp: '1796000401' }],
    ['another nonce', { ...parts, nonce: 'n2' }],
    ['another ciphertext', { ...parts, encrypt: 'YWJk' }],
  ])('refuses %s', (_, changed) => {
    expect(verifySignature(changed, right)).toBe(false);
  });

  it.each([
    ['nothing', ''],
    ['one character', 'a'],
    ['39 characters', right.slice(1)],
    ['41 characters', `${right}0`],
    ['no hex', 'z'.repeat(40)],
    ['full-width digits', '１'.repeat(40)],
    ['upper case', right.toUpperCase()],
    // Each of these has the right low byte, which is what a conversion to latin1 would keep.
    ['look-alikes above 255', [...right].map((digit) => String.fromCharCode(digit.charCodeAt(0) + 0x100)).join('')],
  ])('refuses %s without throwing', (_, signature) => {
    expect(verifySignature(parts, signature)).toBe(false);
  });

  it('never throws and accepts nothing but the right text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 45 }), (signature) => {
        expect(verifySignature(parts, signature)).toBe(signature === right);
      }),
    );
  });
});

describe('sign', () => {
  it('sorts a list and not a set, by code unit', () => {
    expect(sign({ token: 'b', timestamp: 'b', nonce: 'B', encrypt: 'a' })).toBe(
      sign({ token: 'a', timestamp: 'B', nonce: 'b', encrypt: 'b' }),
    );
    expect(sign({ token: 'b', timestamp: 'b', nonce: 'B', encrypt: 'a' })).not.toBe(
      sign({ token: 'b', timestamp: '', nonce: 'B', encrypt: 'a' }),
    );
  });
});
