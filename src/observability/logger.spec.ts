import { describe, expect, it } from 'vitest';
import { readable } from './logger.js';

describe('a log line at a terminal', () => {
  it('begins with time, level and message, and ends with what varies', () => {
    const entry = {
      level: 'info',
      time: '2026-11-30T22:13:23.615Z',
      instance: 'i',
      event: 'app.ready',
      app: 'demo',
      keys: 1,
    };
    expect(readable(JSON.stringify({ ...entry, message: 'Point WeCom here' }))).toBe(
      '22:13:23 INFO  Point WeCom here app=demo keys=1',
    );
  });
});
