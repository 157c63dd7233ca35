import { describe, expect, it } from 'vitest';
import { ensureExchange, ensureNoExceptionPage, isAck } from './expectations.js';
import type { Answer, Exchange } from './http-exchange.js';
import type { Expectation } from './vocabulary.js';
import { CaseFailedError } from './verdict.js';

const success: Answer = {
  kind: 'answer',
  status: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'content-length': '7' },
  body: 'success',
  ms: 10,
};
const refused: Answer = { ...success, status: 403, body: 'refused' };
const failed: Answer = { ...success, status: 503, body: '' };
const broken: Exchange = { kind: 'broken', ms: 10 };
const cut: Exchange = { kind: 'cut', ms: 5_000 };

describe('how an answer is judged', () => {
  it.each<[string, Exchange, Expectation]>([
    ['ack', success, { answer: 'ack' }],
    ['nack by 5xx', failed, { answer: 'nack' }],
    ['nack by a closed connection', broken, { answer: 'nack' }],
    ['nack by no answer', cut, { answer: 'nack' }],
    ['reject', refused, { answer: 'reject' }],
    ['broken connection', broken, { connection: 'broken' }],
    ['one of several', failed, { anyOf: [{ answer: 'ack' }, { answer: 'nack' }] }],
    ['details', success, { status: 200, bodyExact: 'success', contentLength: 7, contentTypeStarts: 'text/plain' }],
    ['no HTML', success, { notHtml: true, noStack: true, noHeader: ['Content-Encoding'], statusIn: [200] }],
  ])('%s passes', (_, exchange, expectation) => {
    expect(() => ensureExchange(exchange, expectation)).not.toThrow();
  });

  it.each<[string, Exchange, Expectation]>([
    ['an ack with a line break', { ...success, body: 'success\n' }, { answer: 'ack' }],
    ['an ack with another status', { ...success, status: 201 }, { answer: 'ack' }],
    ['a late ack', { ...success, ms: 5_100 }, { answer: 'ack' }],
    ['a success where none may be', success, { answer: 'nack' }],
    ['a 4xx where a retry is wanted', refused, { answer: 'nack' }],
    ['a late refusal', { ...refused, ms: 1_100 }, { answer: 'reject' }],
    ['a refusal by 500', { ...refused, status: 500 }, { answer: 'reject' }],
    ['a long refusal', { ...refused, body: 'x'.repeat(1_000) }, { answer: 'reject' }],
    ['a refusal with a stack trace', { ...refused, body: 'x\n   at y (z.js:1:2)' }, { answer: 'reject' }],
    ['a connection that is not broken', success, { connection: 'broken' }],
    ['none of several', refused, { anyOf: [{ answer: 'ack' }, { answer: 'nack' }] }],
    ['several, but late', { ...success, ms: 4_600 }, { anyOf: [{ answer: 'ack' }], maxMs: 4_500 }],
    ['no answer, but late', cut, { answer: 'nack', maxMs: 4_500 }],
    ['no answer where details count', broken, { status: 200 }],
    ['another body', success, { bodyExact: 'success ' }],
    ['another length', success, { contentLength: 8 }],
    ['another type', success, { contentTypeStarts: 'application/json' }],
    ['another status', success, { statusIn: [404] }],
    ['a header', { ...success, headers: { 'content-encoding': 'gzip' } }, { noHeader: ['Content-Encoding'] }],
    ['HTML by type', { ...success, headers: { 'content-type': 'text/html' } }, { notHtml: true }],
    ['HTML by content', { ...success, body: '<!doctype html>' }, { notHtml: true }],
  ])('%s fails', (_, exchange, expectation) => {
    expect(() => ensureExchange(exchange, expectation)).toThrow(CaseFailedError);
  });

  it('an exception page fails in any case', () => {
    expect(() => ensureNoExceptionPage({ ...failed, body: 'Error: x\n    at y (z.js:1:2)' })).toThrow(CaseFailedError);
    expect(() => ensureNoExceptionPage(failed)).not.toThrow();
  });

  it('only the seven letters end the retries', () => {
    expect([success, { ...success, body: '"success"' }, failed, broken].map(isAck)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});
