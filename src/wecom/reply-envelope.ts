import { encrypt } from './cipher.js';
import type { EnvelopeFormat } from './envelope.js';
import { sign } from './signature.js';

export interface Reply {
  readonly plaintext: string;
  readonly receiveId: string;
  readonly aesKey: Buffer;
  readonly token: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The AI bot (智能机器人) demands the nonce of the callback; others take any. */
  readonly nonce: string;
  readonly random16: Buffer;
  readonly format: EnvelopeFormat;
}

/** Seals and signs a passive reply (被动回复, https://developer.work.weixin.qq.com/document/path/90930). */
export function replyEnvelope(reply: Reply): string {
  const { plaintext, receiveId, aesKey, token, timestamp, nonce, random16, format } = reply;
  const sealed = encrypt(plaintext, receiveId, aesKey, random16);
  const signature = sign({ token, timestamp: String(timestamp), nonce, encrypt: sealed });
  if (format === 'json') return JSON.stringify({ encrypt: sealed, msgsignature: signature, timestamp, nonce });
  return [
    '<xml>',
    `<Encrypt>${cdata(sealed)}</Encrypt>`,
    `<MsgSignature>${cdata(signature)}</MsgSignature>`,
    `<TimeStamp>${timestamp}</TimeStamp>`,
    `<Nonce>${cdata(nonce)}</Nonce>`,
    '</xml>',
  ].join('\n');
}

/** A nonce is the sender's text: one that holds the end of a section is carried over two of them. */
function cdata(text: string): string {
  return `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}
