import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeAesKey, IllegalAesKeyError } from './aes-key.js';
import { decrypt, encrypt } from './cipher.js';
import { openEnvelope } from './envelope.js';
import { pad } from './pkcs7.js';
import { refuse, type RefusalReason } from './refusal.js';
import { replyEnvelope } from './reply-envelope.js';
import { sign, verifySignature } from './signature.js';

interface Vector {
  readonly id: string;
  readonly kind: string;
  readonly token: string;
  readonly encodingAESKey: string;
  readonly receiveId: string;
  readonly query: Readonly<Record<string, string>>;
  readonly encrypt: string;
  readonly body?: string;
  readonly inputHex: string;
  readonly expected: {
    readonly ok: boolean;
    readonly error: RefusalReason;
    readonly plaintext: string;
    readonly receiveId: string;
    readonly random16Hex: string;
    readonly pad: number;
    readonly reply?: string;
    readonly msgSignature: string;
    readonly keyHex: string;
    readonly outputHex: string;
  };
}

const file = readFileSync(new URL('../../test/vectors/crypto-vectors.json', import.meta.url), 'utf8');
const { meta, vectors } = JSON.parse(file) as { meta: { errors: Record<string, number> }; vectors: Vector[] };
const exercised = new Set<string>();

function each(kinds: readonly string[], check: (vector: Vector) => void): void {
  it.each(vectors.filter(({ kind }) => kinds.includes(kind)).map((vector) => [vector.id, vector] as const))(
    '%s',
    (id, vector) => {
      exercised.add(id);
      check(vector);
    },
  );
}

/** The request path up to the plaintext, in its order. */
function receive({ kind, body, query, token, encodingAESKey, receiveId, encrypt: bare }: Vector) {
  const envelope =
    kind === 'verify-url' || body === undefined
      ? ({ ok: true, encrypt: bare } as const)
      : openEnvelope(Buffer.from(body));
  if (!envelope.ok) return envelope;
  const parts = {
    token,
    timestamp: query.timestamp ?? '',
    nonce: query.nonce ?? '',
    encrypt: query.echostr ?? envelope.encrypt,
  };
  if (!verifySignature(parts, query.msg_signature ?? '')) return refuse('bad-signature');
  return decrypt(parts.encrypt, decodeAesKey(encodingAESKey), [receiveId]);
}

describe('published and derived vectors', () => {
  describe('a sealed text is opened, or refused at the right stage with the official code', () => {
    each(['verify-url', 'decrypt-xml', 'decrypt-json'], (vector) => {
      const { expected } = vector;
      const result = receive(vector);
      if (!expected.ok) {
        expect(result).toEqual({ ok: false, error: expected.error, officialCode: meta.errors[expected.error] });
        return;
      }
      const random16 = Buffer.from(expected.random16Hex, 'hex');
      expect(result).toEqual({ ok: true, plaintext: expected.plaintext, receiveId: expected.receiveId, random16 });
      const key = decodeAesKey(vector.encodingAESKey);
      expect(encrypt(expected.plaintext, expected.receiveId, key, random16)).toBe(vector.encrypt);
    });
  });

  describe('a reply is sealed to the same bytes', () => {
    each(['encrypt-reply'], ({ token, encodingAESKey, receiveId, query, encrypt: sealed, expected }) => {
      const aesKey = decodeAesKey(encodingAESKey);
      const random16 = Buffer.from(expected.random16Hex, 'hex');
      expect(encrypt(expected.plaintext, receiveId, aesKey, random16)).toBe(sealed);
      expect(decrypt(sealed, aesKey, [receiveId])).toMatchObject({ ok: true, plaintext: expected.plaintext });
      if (expected.reply === undefined) return;
      const format = expected.reply.startsWith('{') ? 'json' : 'xml';
      const { nonce = '', timestamp } = query;
      const text = { plaintext: expected.plaintext, receiveId, token, nonce, timestamp: Number(timestamp) };
      expect(replyEnvelope({ ...text, aesKey, random16, format })).toBe(expected.reply);
    });
  });

  describe('a signature is computed', () => {
    each(['signature'], ({ token, query, encrypt: signed, expected }) => {
      const { timestamp = '', nonce = '' } = query;
      expect(sign({ token, timestamp, nonce, encrypt: signed })).toBe(expected.msgSignature);
    });
  });

  describe('a key is decoded or refused', () => {
    each(['aes-key'], ({ encodingAESKey, expected }) => {
      if (expected.ok) expect(decodeAesKey(encodingAESKey).toString('hex')).toBe(expected.keyHex);
      else expect(() => decodeAesKey(encodingAESKey)).toThrow(IllegalAesKeyError);
    });
  });

  describe('a text is padded', () => {
    each(['pkcs7'], ({ inputHex, expected }) => {
      expect(pad(Buffer.from(inputHex, 'hex')).toString('hex')).toBe(expected.outputHex);
    });
  });

  // Also when a kind is added to the file that nobody here has heard of.
  afterAll(() => {
    expect([...exercised].sort()).toEqual(vectors.map(({ id }) => id).sort());
  });
});

it('no vector belongs to a kind that this file does not exercise', () => {
  const known = ['verify-url', 'decrypt-xml', 'decrypt-json', 'encrypt-reply', 'signature', 'aes-key', 'pkcs7'];
  expect(vectors).toHaveLength(93);
  expect(vectors.filter(({ kind }) => !known.includes(kind))).toEqual([]);
});
