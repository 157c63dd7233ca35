import { encrypt } from '../wecom/cipher.js';
import { sign } from '../wecom/signature.js';
import type { Credentials } from './credentials.js';
import type { SeededRandom } from './seeded-random.js';

export interface SealedCallback {
  /** `msg_signature`, `timestamp` and `nonce`. */
  readonly query: string;
  readonly body: string;
}

/** Seals and signs as WeCom does: each delivery anew, so that no two of one event have a byte of ciphertext in common. */
export class Sealer {
  constructor(
    private readonly credentials: Credentials,
    private readonly random: SeededRandom,
  ) {}

  seal(plaintext: string, nowMs: number): SealedCallback {
    const { sealed, query } = this.signed(plaintext, nowMs);
    const receiver = this.credentials.receiveId;
    const body = `<xml><ToUserName><![CDATA[${receiver}]]></ToUserName><Encrypt><![CDATA[${sealed}]]></Encrypt></xml>`;
    return { query, body };
  }

  /** The query of a URL verification (验证 URL) whose right answer is `echo`. */
  sealVerification(echo: string, nowMs: number): string {
    const { sealed, query } = this.signed(echo, nowMs);
    return `${query}&echostr=${encodeURIComponent(sealed)}`;
  }

  private signed(plaintext: string, nowMs: number): { sealed: string; query: string } {
    const { token, aesKey, receiveId } = this.credentials;
    const sealed = encrypt(plaintext, receiveId, aesKey, this.random.bytes(16));
    const timestamp = String(Math.floor(nowMs / 1_000));
    const nonce = String(this.random.upTo(2_000_000_000));
    const signature = sign({ token, timestamp, nonce, encrypt: sealed });
    return { sealed, query: `msg_signature=${signature}&timestamp=${timestamp}&nonce=${nonce}` };
  }
}
