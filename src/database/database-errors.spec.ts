import { describe, expect, it } from 'vitest';
import { driverErrorKind } from './database-errors.js';

const answer = (errno: number): unknown => ({ errno, sqlState: 'HY000', code: 'ER_X' });

describe('the kind of a driver’s error', () => {
  it.each([
    ['duplicate-key', [1062, 1586]],
    ['conflict', [1213, 1205, 1020]],
    ['unavailable', [1040, 1045, 1053, 1114, 1021, 1290, 1836, 1927]],
    ['other', [1064, 1146, 1406, 1048, 1969]],
  ])('of a MySQL or MariaDB server is %s by its number', (kind, numbers) => {
    for (const errno of numbers) expect(driverErrorKind(answer(errno)), String(errno)).toBe(kind);
  });

  it('is found inside what TypeORM and a handler put around it', () => {
    expect(driverErrorKind({ cause: { driverError: answer(1062) } })).toBe('duplicate-key');
    const cycle: { cause?: unknown } = {};
    cycle.cause = cycle;
    expect(driverErrorKind(cycle)).toBe('other');
  });

  it('is unavailable when the connection ended', () => {
    expect(driverErrorKind({ code: 'PROTOCOL_CONNECTION_LOST', fatal: true })).toBe('unavailable');
    expect(driverErrorKind({ code: 'ECONNREFUSED', errno: -111, fatal: true })).toBe('unavailable');
    expect(driverErrorKind({ code: 'DATABASE_POOL_EXHAUSTED' })).toBe('unavailable');
  });

  it('is no database’s for the failure of a handler’s own call, whatever its numbers', () => {
    expect(driverErrorKind({ cause: { code: 'ECONNREFUSED', errno: -111, syscall: 'connect' } })).toBe('other');
    expect(driverErrorKind({ errcode: 1213, errmsg: 'of WeCom' })).toBe('other');
    expect(driverErrorKind({ errno: 1213 })).toBe('other');
    expect(driverErrorKind(null)).toBe('other');
  });
});
