import { describe, expect, it } from 'vitest';
import { decodeAesKey } from './aes-key.js';
import { decrypt } from './cipher.js';
import { openEnvelope } from './envelope.js';
import { parseJson } from './json.js';
import { type Reply, replyEnvelope } from './reply-envelope.js';
import { sign } from './signature.js';
import { parseXml } from './xml.js';

const reply: Reply = {
  plaintext: '<xml><Content><![CDATA[好]]></Content></xml>',
  receiveId: 'corp',
  aesKey: decodeAesKey('zzjYlymNdHDmDz8cvAsvCLextYmBmuBNSm1VpqpyYU4'),
  token: 'tok',
  timestamp: 1796000400,
  nonce: 'n1',
  random16: Buffer.alloc(16, 0x61),
  format: 'xml',
};

// The exact texts are in the vectors; here is what they do not cover.
describe('replyEnvelope', () => {
  it('carries any nonce unharmed', () => {
    const nonce = 'a]]><Encrypt>b"\\';
    const xml = parseXml(replyEnvelope({ ...reply, nonce }));
    expect(xml.ok && xml.root.children.map(({ name, text }) => [name, text])).toContainEqual(['Nonce', nonce]);
    const json = parseJson(replyEnvelope({ ...reply, nonce, format: 'json' }));
    expect(json.ok && json.root.children.map(({ name, text }) => [name, text])).toContainEqual(['nonce', nonce]);
  });

  it('can be opened by its receiver, and the signature covers what was sealed', () => {
    const body = replyEnvelope({ ...reply, format: 'json' });
    const opened = openEnvelope(Buffer.from(body));
    const encrypt = opened.ok ? opened.encrypt : '';
    expect(decrypt(encrypt, reply.aesKey, ['corp'])).toMatchObject({ ok: true, plaintext: reply.plaintext });
    const signature = sign({ token: 'tok', timestamp: '1796000400', nonce: 'n1', encrypt });
    expect(JSON.parse(body)).toEqual({ encrypt, msgsignature: signature, timestamp: 1796000400, nonce: 'n1' });
  });
});
