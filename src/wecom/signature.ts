import { hash, timingSafeEqual } from 'node:crypto';

export interface SignedParts {
  readonly token: string;
  readonly timestamp: string;
  readonly nonce: string;
  /** The `Encrypt` text, or `echostr` of a URL verification, exactly as received after one percent-decoding. */
  readonly encrypt: string;
}

const SIGNATURE_LENGTH = 40;

/**
 * `msg_signature` as lower-case hex (https://developer.work.weixin.qq.com/document/path/90968). The order is that of
 * code units: `localeCompare` would depend on the machine.
 */
export function sign({ token, timestamp, nonce, encrypt }: SignedParts): string {
  return hash('sha1', [token, timestamp, nonce, encrypt].sort().join(''), 'hex');
}

/**
 * Compares in constant time and never throws. Upper-case hex is refused: WeCom sends lower case, and the official
 * libraries compare the text.
 */
export function verifySignature(parts: SignedParts, signature: string): boolean {
  const given = Buffer.from(signature, 'utf8');
  // `timingSafeEqual` throws on unequal lengths; the length of a SHA-1 is no secret.
  if (given.length !== SIGNATURE_LENGTH) return false;
  return timingSafeEqual(given, Buffer.from(sign(parts), 'utf8'));
}
