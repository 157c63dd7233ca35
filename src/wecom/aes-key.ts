const ENCODED_KEY = /^[A-Za-z0-9+/]{43}$/;

/** The configured key cannot be one. Says the rule and never the value. */
export class IllegalAesKeyError extends Error {
  readonly code = 'WECOM_AES_KEY_ILLEGAL';
  readonly officialCode = -40004;

  constructor() {
    super('an EncodingAESKey has exactly 43 characters out of A-Z, a-z, 0-9, + and /');
    this.name = 'IllegalAesKeyError';
  }
}

/**
 * 43 characters are 258 bits for a key of 256. WeCom's generator leaves the two spare bits set more often than not, so
 * a strict base64 decoder refuses good keys; Node's ignores them. But Node's also swallows any rubbish, hence the
 * pattern.
 */
export function decodeAesKey(encodingAesKey: string): Buffer {
  if (!ENCODED_KEY.test(encodingAesKey)) throw new IllegalAesKeyError();
  return Buffer.from(encodingAesKey, 'base64');
}
