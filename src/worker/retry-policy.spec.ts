import { describe, expect, it } from 'vitest';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';
import { afterFailure, attemptsMax, describeFailure, isInfrastructure } from './retry-policy.js';

const POLICY = { delaysMs: [1_000, 10_000] };

describe('the retry policy', () => {
  it.each([
    [1, 0, { kind: 'retry', delayMs: 800 }],
    [1, 0.5, { kind: 'retry', delayMs: 1_000 }],
    [1, 0.999_999, { kind: 'retry', delayMs: 1_200 }],
    [2, 0.5, { kind: 'retry', delayMs: 10_000 }],
    [3, 0.5, { kind: 'dead', reason: 'failed 3 times' }],
  ] as const)('after run %i with chance %f', (attempt, fraction, expected) => {
    expect(afterFailure(new Error('no'), attempt, POLICY, fraction)).toEqual(expected);
  });

  it('gives up at once on what cannot work', () => {
    expect(afterFailure(new UnrecoverableError('no'), 1, POLICY, 0)).toEqual({ kind: 'dead', reason: 'cannot work' });
  });

  it('gives one run more than it has delays', () => {
    expect(attemptsMax(POLICY)).toBe(3);
    expect(attemptsMax({ delaysMs: [] })).toBe(1);
  });

  it('describes any thrown value by a stable code and a text of limited length', () => {
    expect(describeFailure(Object.assign(new Error('x'.repeat(9_000)), { code: 'SOME_CODE' }))).toMatchObject({
      code: 'SOME_CODE',
    });
    expect(describeFailure(new Error('x'.repeat(9_000))).message).toHaveLength(2_000);
    expect(describeFailure(new TypeError('t'))).toEqual({ code: 'TypeError', message: 't' });
    expect(describeFailure('just text')).toEqual({ code: 'Error', message: 'just text' });
    expect(describeFailure(null)).toEqual({ code: 'Error', message: 'null' });
  });

  it('knows infrastructure by the code of the driver, also when it is wrapped', () => {
    const driver = (errcode: number): object => ({ code: 'ERR_SQLITE_ERROR', errcode });
    expect(isInfrastructure({ driverError: driver(5) })).toBe(true);
    expect(isInfrastructure(new Error('failed', { cause: driver(13) }))).toBe(true);
    expect(isInfrastructure(driver(2067))).toBe(false);
    expect(isInfrastructure(new Error('SQLITE_BUSY'))).toBe(false);
  });

  it('does not take an error of WeCom for one of the database: both have an errcode', () => {
    expect(isInfrastructure(Object.assign(new Error('api'), { errcode: 95_002 }))).toBe(false);
    expect(isInfrastructure(Object.assign(new Error('api'), { errcode: 5 }))).toBe(false);
  });

  it.each([
    ['null', null],
    ['a text', 'no'],
    ['an object without a prototype', Object.create(null)],
    ['a message that is no text', Object.assign(new Error('x'), { message: { a: 1 } })],
    ['a code that is no text', Object.assign(new Error('x'), { code: 17 })],
    [
      'something whose toString throws',
      {
        toString: () => {
          throw new Error('again');
        },
      },
    ],
  ])('describes whatever a handler may throw: %s', (_, thrown) => {
    const { code, message } = describeFailure(thrown);
    expect([typeof code, typeof message]).toEqual(['string', 'string']);
    expect(code).not.toBe('');
  });
});
