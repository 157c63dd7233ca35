import type { Exchange } from './http-exchange.js';
import type { Expectation } from './vocabulary.js';
import { ensure } from './verdict.js';

const ANSWER_LIMIT_MS = 5_000;
const REJECT_LIMIT_MS = 1_000;
const REJECT_BODY_MAX = 300;
const STACK = /\n\s+at |node_modules|Error:/;

/** Throws `CaseFailedError` unless the exchange is as expected. */
export function ensureExchange(exchange: Exchange, expectation: Expectation): void {
  const fault = faultOf(exchange, expectation);
  ensure(fault === null, () => `${fault}; got ${shown(exchange)}`);
}

/** True for HTTP 200 with the body `success`: what ends WeCom's retries. */
export function isAck(exchange: Exchange): boolean {
  return exchange.kind === 'answer' && exchange.status === 200 && exchange.body === 'success';
}

/** No input makes the product answer with an exception page, whatever a case expects. */
export function ensureNoExceptionPage(exchange: Exchange): void {
  if (exchange.kind !== 'answer') return;
  ensure(!/\n\s+at .*:\d+/.test(exchange.body), `the answer shows a stack trace: ${exchange.body.slice(0, 200)}`);
}

/** What is not as expected, or null. */
function faultOf(exchange: Exchange, expectation: Expectation): string | null {
  const { anyOf, maxMs } = expectation;
  if (anyOf && anyOf.every((one) => faultOf(exchange, one) !== null)) return `expected any of ${JSON.stringify(anyOf)}`;
  if (maxMs !== undefined && exchange.ms > maxMs) return `expected an answer within ${maxMs} ms`;
  if (expectation.connection === 'broken' && exchange.kind === 'answer') return 'expected a broken connection';
  if (expectation.answer === 'nack' && !isNack(exchange)) return 'expected no success';
  if (expectation.answer === 'ack' && (!isAck(exchange) || exchange.ms > ANSWER_LIMIT_MS))
    return 'expected success within 5 s';
  if (expectation.answer === 'reject') {
    const fault = notRejected(exchange, maxMs ?? REJECT_LIMIT_MS);
    if (fault !== null) return fault;
  }
  return detailFault(exchange, expectation);
}

function isNack(exchange: Exchange): boolean {
  if (exchange.kind !== 'answer') return true;
  return !isAck(exchange) && (exchange.status >= 500 || exchange.ms > ANSWER_LIMIT_MS);
}

function notRejected(exchange: Exchange, maxMs: number): string | null {
  if (exchange.kind !== 'answer' || exchange.status < 400 || exchange.status >= 500) return 'expected a 4xx status';
  if (exchange.ms > maxMs) return `expected the refusal within ${maxMs} ms`;
  if (exchange.body.length > REJECT_BODY_MAX) return 'expected a short body';
  return STACK.test(exchange.body) ? 'expected no stack trace' : null;
}

function detailFault(exchange: Exchange, expectation: Expectation): string | null {
  const { status, statusIn, bodyExact, contentTypeStarts, contentLength, noHeader, notHtml, noStack } = expectation;
  const asks = [status, statusIn, bodyExact, contentTypeStarts, contentLength, noHeader, notHtml, noStack];
  if (asks.every((ask) => ask === undefined)) return null;
  if (exchange.kind !== 'answer') return 'expected an answer';
  const { headers, body } = exchange;
  const type = String(headers['content-type'] ?? '');
  if (status !== undefined && exchange.status !== status) return `expected status ${status}`;
  if (statusIn && !statusIn.includes(exchange.status)) return `expected a status of ${statusIn.join(', ')}`;
  if (bodyExact !== undefined && body !== bodyExact) return `expected the body ${JSON.stringify(bodyExact)}`;
  if (contentTypeStarts !== undefined && !type.startsWith(contentTypeStarts))
    return `expected Content-Type ${contentTypeStarts}…, got ${type}`;
  if (contentLength !== undefined && Number(headers['content-length']) !== contentLength)
    return `expected Content-Length ${contentLength}, got ${headers['content-length']}`;
  const present = (noHeader ?? []).find((name) => headers[name.toLowerCase()] !== undefined);
  if (present !== undefined) return `expected no header ${present}`;
  if (notHtml && (type.includes('html') || /^\s*<(!doctype|html)/i.test(body))) return 'expected no HTML';
  return noStack && STACK.test(body) ? 'expected no stack trace' : null;
}

function shown(exchange: Exchange): string {
  const ms = Math.round(exchange.ms);
  if (exchange.kind !== 'answer') return `no answer (${exchange.kind} after ${ms} ms)`;
  return `${exchange.status} ${JSON.stringify(exchange.body.slice(0, 120))} after ${ms} ms`;
}
