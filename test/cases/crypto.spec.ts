import { describe, expect, it } from 'vitest';
import { decodeAesKey } from '../../src/wecom/aes-key.js';
import { decrypt, encrypt } from '../../src/wecom/cipher.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { verifySignature } from '../../src/wecom/signature.js';
import { readCaseJson, readProfile } from './read-case.js';

interface Sealed {
  readonly app: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly encrypt: string;
  readonly msg_signature: string;
  readonly text: string;
  readonly receiveId: string;
}

function open(vector: Sealed, app: string) {
  const { token, encodingAESKey, receiveId } = readProfile(app);
  expect(verifySignature({ token, ...vector }, vector.msg_signature)).toBe(true);
  return decrypt(vector.encrypt, decodeAesKey(encodingAESKey), [receiveId]);
}

describe('crypto-01: padding to 32, not 16', () => {
  const { vectors } = readCaseJson<{ vectors: (Sealed & { pad: number })[] }>('crypto/crypto-01-padding-1-to-32.json');

  it.each(vectors.map((vector) => [vector.pad, vector] as const))('crypto-01: a padding of %d', (_, vector) => {
    const opened = open(vector, vector.app);
    expect(opened).toMatchObject({ ok: true, plaintext: vector.text, receiveId: vector.receiveId });
  });

  it('crypto-01: there is one of each length', () => {
    expect(vectors.map(({ pad }) => pad)).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });
});

describe('crypto-02: ciphertext made with another key, cut short, or lying about its length', () => {
  const { app, vectors } = readCaseJson<{ app: string; vectors: (Sealed & { name: string })[] }>(
    'crypto/crypto-02-broken-a.json',
  );
  const errors: Readonly<Record<string, string>> = {
    'bad-base64': 'bad-base64',
    'not-16': 'decrypt-failed',
    empty: 'decrypt-failed',
    'length-beyond': 'illegal-buffer',
    'other-key': 'bad-padding',
    'foreign-id': 'receive-id-mismatch',
  };

  it.each(vectors.map((vector) => [vector.name, vector] as const))('crypto-02: %s is refused', (name, vector) => {
    expect(open(vector, app)).toMatchObject({ ok: false, error: errors[name] });
  });

  it('crypto-02: each vector has an error that is expected', () => {
    expect(vectors.map(({ name }) => name)).toEqual(Object.keys(errors));
  });
});

describe('crypto-03: the published sample of the official crypto libraries', () => {
  const sample = readCaseJson<{
    token: string;
    encodingAESKey: string;
    receiveId: string;
    verify: { timestamp: string; nonce: string; msg_signature: string; echostr: string; text: string };
    post: Sealed & { facts: Record<string, string> };
  }>('crypto/crypto-03-official-sample.json');
  const aesKey = decodeAesKey(sample.encodingAESKey);
  const { verify, post } = sample;

  it('crypto-03: the URL verification gives the known text', () => {
    const parts = { token: sample.token, timestamp: verify.timestamp, nonce: verify.nonce, encrypt: verify.echostr };
    expect(verifySignature(parts, verify.msg_signature)).toBe(true);
    expect(decrypt(verify.echostr, aesKey, [sample.receiveId])).toMatchObject({ ok: true, plaintext: verify.text });
  });

  it('crypto-03: the message verifies and holds the known facts', () => {
    expect(verifySignature({ token: sample.token, ...post }, post.msg_signature)).toBe(true);
    const opened = decrypt(post.encrypt, aesKey, [sample.receiveId]);
    const parsed = parseEvent(opened.ok ? opened.plaintext : '', sample.receiveId);
    expect(parsed.kind === 'event' && parsed.event.fields).toMatchObject(post.facts);
    const sealed = opened.ok ? encrypt(opened.plaintext, opened.receiveId, aesKey, opened.random16) : '';
    expect(sealed).toBe(post.encrypt);
  });
});
