import { describe, expect, it } from 'vitest';
import { TimeLimitError } from '../../runtime/within.js';
import { reasonOf, sendsElsewhere } from './redis-reasons.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:6379'), { code: 'ECONNREFUSED' });

describe('reasons for an outage of Redis', () => {
  it.each([
    [new Error("READONLY You can't write against a read only replica. script: 12ab"), 'Redis answered READONLY'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'Redis answered OOM'],
    [new Error("ERR unknown command 'AUTH', with args beginning with: 'secret'"), 'Redis answered ERR'],
    [refused, 'no connection (ECONNREFUSED)'],
    [new TimeLimitError('Redis', 100), 'Redis took longer than 100 ms'],
    [new Error('Connection is closed.'), 'Connection is closed.'],
    ['not an error', 'unknown'],
  ])('name the kind, and neither hosts nor what was sent (%#)', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });

  it.each([
    ["READONLY You can't write against a read only replica.", true],
    [
      "ERR Error running script (call to f_12): @user_script:1: -READONLY You can't write against a read only replica.",
      true,
    ],
    ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
    ['LOADING Redis is loading the dataset in memory', true],
    ['OOM command not allowed', false],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', false],
  ])('tell when another server has to be asked: %s', (message, elsewhere) => {
    expect(sendsElsewhere(new Error(message))).toBe(elsewhere);
  });
});
