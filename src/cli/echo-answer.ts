import type { HttpOutcome } from '../simulator/http-client.js';

export type FindingCode =
  | 'unreachable'
  | 'certificate'
  | 'timeout'
  | 'broken-off'
  | 'redirect'
  | 'not-found'
  | 'refused'
  | 'unavailable'
  | 'status'
  | 'empty'
  | 'json'
  | 'quoted'
  | 'html'
  | 'byte-order-mark'
  | 'white-space'
  | 'still-sealed'
  | 'whole-buffer'
  | 'other-text'
  | 'wrong-text'
  | 'slow'
  | 'signature-not-checked'
  | 'receive-id-not-checked';

export interface Finding {
  readonly code: FindingCode;
  /** What is wrong, and what to look at. */
  readonly message: string;
}

export interface SentEcho {
  /** The right answer. */
  readonly echo: string;
  /** `echostr`. */
  readonly sealed: string;
  readonly receiveId: string;
}

/** WeCom waits no longer when an administrator presses Save (https://developer.work.weixin.qq.com/document/path/90930). */
export const VERIFY_LIMIT_MS = 1_000;

const CERTIFICATE = /CERT|SELF_SIGNED|VERIFY|ALTNAME/;
const SHOWN_MAX = 60;

/** What is wrong with an answer to a URL verification; empty when WeCom would take it. */
export function judgeEcho(outcome: HttpOutcome, sent: SentEcho, elapsedMs: number): Finding[] {
  if (outcome.kind === 'failed') return [failure(outcome.reason, elapsedMs)];
  const { status, headers, body } = outcome;
  const wrong = status === 200 ? judgeBody(body, sent) : judgeStatus(status, headers.location);
  const slow: Finding = {
    code: 'slow',
    message: `the answer took ${Math.round(elapsedMs)} ms; WeCom waits ${VERIFY_LIMIT_MS} ms`,
  };
  return [...(wrong ? [wrong] : []), ...(elapsedMs > VERIFY_LIMIT_MS ? [slow] : [])];
}

function failure(reason: string, elapsedMs: number): Finding {
  if (reason === 'timeout')
    return {
      code: 'timeout',
      message: `no answer within ${Math.round(elapsedMs)} ms; WeCom waits ${VERIFY_LIMIT_MS} ms`,
    };
  if (CERTIFICATE.test(reason))
    return {
      code: 'certificate',
      message: `the certificate does not hold (${reason}): WeCom checks name, chain and age`,
    };
  if (reason === 'ECONNRESET' || reason === 'too-long')
    return { code: 'broken-off', message: `the answer broke off (${reason})` };
  return { code: 'unreachable', message: `nothing answers there (${reason})` };
}

function judgeStatus(status: number, location: string | undefined): Finding {
  if (status >= 300 && status < 400)
    return {
      code: 'redirect',
      message: `redirected to ${location ?? 'nowhere'} (HTTP ${status}); WeCom does not follow`,
    };
  if (status === 404)
    return { code: 'not-found', message: 'HTTP 404: no such app, or a proxy does not pass this path on' };
  if (status === 401 || status === 403) return { code: 'refused', message: `HTTP ${status}: the request was refused` };
  if (status === 429 || status >= 500)
    return { code: 'unavailable', message: `HTTP ${status}: the service, or a proxy before it, is not well` };
  return { code: 'status', message: `HTTP ${status} instead of 200` };
}

/** The bare text is wanted: no quotes, no line break, no byte order mark (明文, 不能加引号, 不能带 bom 头, 不能带换行符). */
function judgeBody(body: string, { echo, sealed, receiveId }: SentEcho): Finding | null {
  if (body === echo) return null;
  if (body === '') return { code: 'empty', message: 'the answer is empty instead of the decrypted text' };
  const bare = body.replace(/^\ufeff/, '');
  if (bare === echo) return { code: 'byte-order-mark', message: 'a byte order mark stands before the text' };
  if (bare.trim() === echo) {
    const what = /[\r\n]/.test(bare) ? 'a line break' : 'a blank';
    return { code: 'white-space', message: `${what} stands around the text: send it without` };
  }
  const text = bare.trim();
  if (text === sealed || text === encodeURIComponent(sealed))
    return { code: 'still-sealed', message: 'echostr came back as it was sent: it has to be decrypted' };
  if (text.includes(echo) && text.endsWith(receiveId) && receiveId !== '')
    return {
      code: 'whole-buffer',
      message: 'the whole decrypted buffer came back: send the message alone, without length and receive id',
    };
  if (/^(?:"|')/.test(text) && text.slice(1, -1) === echo)
    return { code: 'quoted', message: 'the text stands in quotes: a framework made JSON of it; send it as text/plain' };
  if (/^[[{]/.test(text) && text.includes(echo))
    return {
      code: 'json',
      message: 'the text is wrapped in JSON, as an interceptor for API answers does: leave this route out of it',
    };
  if (/^<(?:!doctype|html)/i.test(text))
    return {
      code: 'html',
      message: 'an HTML page came back: a login page, a firewall or a web server answers instead of the service',
    };
  if (text.includes(echo)) return { code: 'other-text', message: `other text stands around it: ${shown(text)}` };
  return { code: 'wrong-text', message: `another text came back: ${shown(text)}` };
}

/** JSON escapes what would move a terminal's cursor, but for the controls above ASCII. */
function shown(text: string): string {
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f]/g, '.');
}
