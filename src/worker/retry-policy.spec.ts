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
    expect(isInfrastructure({ driverError: { errcode: 5 } })).toBe(true);
    expect(isInfrastructure(new Error('failed', { cause: { errcode: 13 } }))).toBe(true);
    expect(isInfrastructure({ errcode: 2067 })).toBe(false);
    expect(isInfrastructure(new Error('SQLITE_BUSY'))).toBe(false);
  });
});
