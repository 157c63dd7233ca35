import { encrypt } from '../../dist/src/wecom/cipher.js';
import { decodeAesKey } from '../../dist/src/wecom/aes-key.js';
import { sign } from '../../dist/src/wecom/signature.js';
import { randomBytes } from 'node:crypto';

export const CREDENTIALS = {
  token: 'benchToken',
  encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiveId: 'wwbench',
};

const AES_KEY = decodeAesKey(CREDENTIALS.encodingAESKey);
const SECONDS = 1_796_000_000;
// About 1 KB sealed, as most of WeCom's events are.
const FILLER = '<Comment><![CDATA[' + '审批意见'.repeat(20) + ']]></Comment>';

/** Distinct events: half approvals (five events an order), a quarter customers, a quarter messages without a handler. */
export function callbacks(count) {
  return Array.from({ length: count }, (_, n) => sealed(textOf(n)));
}

function textOf(n) {
  const time = SECONDS + Math.floor(n / 50);
  const head = `<xml><ToUserName><![CDATA[wwbench]]></ToUserName><FromUserName><![CDATA[sys]]></FromUserName><CreateTime>${time}</CreateTime>`;
  if (n % 4 < 2) {
    const order = Math.floor(n / 20);
    return `${head}<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[sys_approval_change]]></Event><AgentID>3010040</AgentID><ApprovalInfo><SpNo><![CDATA[SP${order}-${n % 4}]]></SpNo><SpName><![CDATA[请假]]></SpName><SpStatus>1</SpStatus><Step>${n}</Step>${FILLER}</ApprovalInfo></xml>`;
  }
  if (n % 4 === 2) {
    return `${head}<MsgType><![CDATA[event]]></MsgType><Event><![CDATA[change_external_contact]]></Event><ChangeType><![CDATA[add_external_contact]]></ChangeType><UserID><![CDATA[user${n % 97}]]></UserID><ExternalUserID><![CDATA[wm${n}]]></ExternalUserID><State><![CDATA[channel]]></State>${FILLER}</xml>`;
  }
  return `${head}<MsgType><![CDATA[text]]></MsgType><Content><![CDATA[${'你好'.repeat(60)}]]></Content><MsgId>${7300000000000000000n + BigInt(n)}</MsgId><AgentID>1</AgentID></xml>`;
}

function sealed(text) {
  const encrypted = encrypt(text, CREDENTIALS.receiveId, AES_KEY, randomBytes(16));
  const [timestamp, nonce] = ['1796000000', randomBytes(6).toString('hex')];
  const signature = sign({ token: CREDENTIALS.token, timestamp, nonce, encrypt: encrypted });
  const path = `/wecom/callbacks/bench?msg_signature=${signature}&timestamp=${timestamp}&nonce=${nonce}`;
  return {
    text,
    path,
    body: Buffer.from(
      `<xml><ToUserName><![CDATA[wwbench]]></ToUserName><Encrypt><![CDATA[${encrypted}]]></Encrypt><AgentID><![CDATA[1]]></AgentID></xml>`,
    ),
  };
}
