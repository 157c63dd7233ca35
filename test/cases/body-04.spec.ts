import { describe, expect, it } from 'vitest';
import { decodeAesKey } from '../../src/wecom/aes-key.js';
import { decrypt, encrypt } from '../../src/wecom/cipher.js';
import { verifySignature } from '../../src/wecom/signature.js';
import { readCaseJson, readProfile } from './read-case.js';

interface MultibyteVector {
  readonly text: string;
  readonly byteLength: number;
  readonly receiveId: string;
  readonly app: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly encrypt: string;
  readonly msg_signature: string;
}

const { vectors } = readCaseJson<{ vectors: MultibyteVector[] }>('crypto/body-04-multibyte.json');

describe('body-04: length counted in bytes, not characters', () => {
  it.each(vectors.map((vector) => [vector.byteLength, vector.text, vector] as const))(
    'body-04: %d bytes of %j come out exactly and go in again',
    (byteLength, text, vector) => {
      const { token, encodingAESKey } = readProfile(vector.app);
      const aesKey = decodeAesKey(encodingAESKey);
      expect(verifySignature({ token, ...vector }, vector.msg_signature)).toBe(true);
      const opened = decrypt(vector.encrypt, aesKey, [vector.receiveId]);
      expect(opened).toMatchObject({ ok: true, plaintext: text, receiveId: vector.receiveId });
      expect(Buffer.byteLength(text)).toBe(byteLength);
      // The same ciphertext means the same length field.
      if (opened.ok) expect(encrypt(text, opened.receiveId, aesKey, opened.random16)).toBe(vector.encrypt);
    },
  );

  it('body-04: the file has the texts that it promises', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(6);
    expect(vectors.some(({ text }) => /[^\p{ASCII}]$/u.test(text))).toBe(true);
  });
});
