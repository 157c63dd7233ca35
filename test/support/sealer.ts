import { createCipheriv, createHash, randomBytes } from 'node:crypto';

export interface TestCredentials {
  readonly token: string;
  readonly encodingAESKey: string;
  readonly receiveId: string;
  readonly envelope?: 'xml' | 'json';
}

export interface Sealed {
  readonly encrypt: string;
  readonly query: Record<string, string>;
}

/**
 * Seals and signs as WeCom does. Written apart from `src/wecom`, so that the two check each other. A text that is no UTF-8
 * is given as bytes.
 */
export function seal(credentials: TestCredentials, text: string | Buffer, receiveId = credentials.receiveId): Sealed {
  const key = Buffer.from(`${credentials.encodingAESKey}=`, 'base64');
  const message = typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
  const head = Buffer.alloc(20);
  randomBytes(16).copy(head);
  head.writeUInt32BE(message.length, 16);
  const content = Buffer.concat([head, message, Buffer.from(receiveId)]);
  const padding = 32 - (content.length % 32);
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false);
  const encrypt = Buffer.concat([
    cipher.update(content),
    cipher.update(Buffer.alloc(padding, padding)),
    cipher.final(),
  ]).toString('base64');
  return { encrypt, query: signed(credentials.token, encrypt) };
}

export function signed(token: string, encrypt: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = randomBytes(6).toString('hex');
  const msgSignature = createHash('sha1').update([token, timestamp, nonce, encrypt].sort().join('')).digest('hex');
  return { msg_signature: msgSignature, timestamp, nonce };
}

export function envelopeOf(credentials: TestCredentials, encrypt: string): string {
  if (credentials.envelope === 'json') return JSON.stringify({ encrypt });
  return `<xml><ToUserName><![CDATA[${credentials.receiveId}]]></ToUserName><Encrypt><![CDATA[${encrypt}]]></Encrypt><AgentID><![CDATA[]]></AgentID></xml>`;
}

export function queryString(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
