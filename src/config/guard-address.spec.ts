import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './guard-address.js';

describe('REDIS_URL', () => {
  it.each([
    ['redis://redis', { host: 'redis', port: 6379, tls: false, db: 0 }],
    ['redis://10.0.0.5:7000/3', { host: '10.0.0.5', port: 7000, tls: false, db: 3 }],
    ['redis://[::1]:6380/', { host: '::1', port: 6380, tls: false, db: 0 }],
    ['rediss://:p%40ss%2Fword@redis.corp', { host: 'redis.corp', port: 6379, tls: true, password: 'p@ss/word', db: 0 }],
    ['redis://app:secret@h', { host: 'h', port: 6379, tls: false, username: 'app', password: 'secret', db: 0 }],
  ])('is read: %s', (text, address) => {
    expect(parseRedisUrl(text)).toEqual(address);
  });

  it.each([
    'localhost:6379',
    'http://redis:6379',
    'redis://',
    'redis://redis/db1',
    'redis://redis:99999',
    'redis://redis?enableOfflineQueue=true',
    'redis://redis#1',
    'redis://:50%@redis',
    '',
  ])('is refused: %s', (text) => {
    expect(parseRedisUrl(text)).toBeNull();
  });
});
