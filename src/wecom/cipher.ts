import { isUtf8 } from 'node:buffer';
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { pad, unpad } from './pkcs7.js';
import { type Refusal, refuse } from './refusal.js';

export interface Decrypted {
  readonly ok: true;
  /** The text, or `BINARY_PREFIX` and base64 when the bytes are not UTF-8. */
  readonly plaintext: string;
  /** The one of the accepted ids that the ciphertext held. */
  readonly receiveId: string;
  readonly random16: Buffer;
}

export type DecryptRefusal = Refusal<
  'bad-base64' | 'decrypt-failed' | 'bad-padding' | 'illegal-buffer' | 'receive-id-mismatch'
>;

/**
 * Marks a plaintext that is not UTF-8. Replacement characters would make one event of two that differ only in broken
 * bytes, and refusing would lose what WeCom did sign; so all bytes are kept and the text goes the way of those that do
 * not parse. Nothing that parses begins like this.
 */
export const BINARY_PREFIX = 'base64:';

const ALGORITHM = 'aes-256-cbc';
const AES_BLOCK = 16;
const RANDOM_LENGTH = 16;
const LENGTH_END = RANDOM_LENGTH + 4;

/**
 * Opens `random(16) ‖ length(4) ‖ message ‖ receive id` (https://developer.work.weixin.qq.com/document/path/90968).
 * Call it only after the signature was verified: telling refusals apart for anybody is a padding oracle.
 */
export function decrypt(
  encrypt: string,
  aesKey: Buffer,
  acceptedReceiveIds: readonly string[],
): Decrypted | DecryptRefusal {
  const ciphertext = decodeBase64(encrypt);
  if (ciphertext === null) return refuse('bad-base64');
  if (ciphertext.length === 0 || ciphertext.length % AES_BLOCK !== 0) return refuse('decrypt-failed');

  const content = unpad(decipher(ciphertext, aesKey));
  if (content === null) return refuse('bad-padding');
  if (content.length < LENGTH_END) return refuse('illegal-buffer');
  // The length counts bytes, and with a wrong key it is any number: compared before anything is sliced or allocated.
  const messageEnd = LENGTH_END + content.readUInt32BE(RANDOM_LENGTH);
  if (messageEnd > content.length) return refuse('illegal-buffer');

  // Whole and case-sensitive: ids that a provider sees differ in letter case alone (path/96516).
  const receiveId = content.toString('utf8', messageEnd);
  if (!acceptedReceiveIds.includes(receiveId)) return refuse('receive-id-mismatch');
  const message = content.subarray(LENGTH_END, messageEnd);
  return { ok: true, plaintext: decodeText(message), receiveId, random16: content.subarray(0, RANDOM_LENGTH) };
}

/** Seals as WeCom does. `random16` comes from the caller, since chance is a port. */
export function encrypt(plaintext: string, receiveId: string, aesKey: Buffer, random16: Buffer): string {
  if (random16.length !== RANDOM_LENGTH) throw new RangeError(`random16 has ${random16.length} bytes instead of 16`);
  const message = Buffer.from(plaintext, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const content = pad(Buffer.concat([random16, length, message, Buffer.from(receiveId, 'utf8')]));
  const cipher = createCipheriv(ALGORITHM, aesKey, initialVector(aesKey)).setAutoPadding(false);
  return Buffer.concat([cipher.update(content), cipher.final()]).toString('base64');
}

/**
 * Node's decoder skips what it does not know and takes the URL-safe alphabet too. So: nothing skipped, when the bytes
 * are as many as the characters make, and no character of that alphabet. A pattern costs four times as much.
 */
function decodeBase64(text: string): Buffer | null {
  const padCount = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  const isComplete = text.length % 4 === 0 && bytes.length === (text.length / 4) * 3 - padCount;
  return isComplete && !text.includes('-') && !text.includes('_') ? bytes : null;
}

function decipher(ciphertext: Buffer, aesKey: Buffer): Buffer {
  const decipher = createDecipheriv(ALGORITHM, aesKey, initialVector(aesKey)).setAutoPadding(false);
  const content = decipher.update(ciphertext);
  // Without padding the last call brings nothing, but it reports a block cut short.
  decipher.final();
  return content;
}

/** The same for every message: a property of the vendor's protocol, which the random first block makes up for. */
function initialVector(aesKey: Buffer): Buffer {
  return aesKey.subarray(0, AES_BLOCK);
}

function decodeText(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : BINARY_PREFIX + bytes.toString('base64');
}
