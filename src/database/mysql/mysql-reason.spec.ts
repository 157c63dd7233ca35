import { describe, expect, it } from 'vitest';
import { PoolExhaustedError } from './mysql-driver.js';
import { reasonOf } from './mysql-reason.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:3306'), { code: 'ECONNREFUSED', errno: -111 });
const denied = Object.assign(new Error("Access denied for user 'wecom'@'10.1.2.3'"), {
  ...{ code: 'ER_ACCESS_DENIED_ERROR', errno: 1045 },
});

describe('the reason on a health page', () => {
  it.each([
    ['a refused connection', refused, 'the database is away (ECONNREFUSED)'],
    ['a wrong login', denied, 'the database is away (ER_ACCESS_DENIED_ERROR)'],
    [
      'what TypeORM wraps',
      Object.assign(new Error('10.1.2.3'), { driverError: refused }),
      'the database is away (ECONNREFUSED)',
    ],
    ['a cause', new PoolExhaustedError({ cause: refused }), 'the database is away (ECONNREFUSED)'],
    ['no more than an object', 'odd', 'unknown'],
  ])('names no host and no user: %s', (_, error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });

  it('is the message of an error of our own', () => {
    expect(reasonOf(new PoolExhaustedError({ cause: 'too many wait' }))).toBe(
      'no connection to the database: too many wait',
    );
  });
});
