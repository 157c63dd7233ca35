import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { CircuitBreaker } from './circuit-breaker.js';

function make() {
  const clock = new ManualClock();
  return { clock, breaker: new CircuitBreaker(clock, 3) };
}

describe('CircuitBreaker', () => {
  it('opens with the last of so many failures in a row, and dates them from the first', async () => {
    const { clock, breaker } = make();
    const since = clock.now();
    expect(breaker.failed('one')).toBe(false);
    await clock.advance(10);
    expect(breaker.failed('two')).toBe(false);
    expect(breaker.outage).toBeNull();
    await clock.advance(10);
    expect(breaker.failed('three')).toBe(true);
    expect(breaker.outage).toEqual({ since, reason: 'three' });
  });

  it('stays closed while answers come in between', () => {
    const { breaker } = make();
    for (let n = 0; n < 10; n += 1) {
      breaker.failed('slow');
      breaker.failed('slow');
      breaker.worked();
    }
    expect(breaker.outage).toBeNull();
  });

  it('counts and dates anew after an answer', async () => {
    const { clock, breaker } = make();
    breaker.failed('long ago');
    breaker.worked();
    await clock.advance(1_000);
    const since = clock.now();
    for (let n = 0; n < 3; n += 1) breaker.failed('now');
    expect(breaker.outage).toEqual({ since, reason: 'now' });
  });

  it('keeps its reason while calls that were under way fail with the connection', () => {
    const { breaker } = make();
    breaker.open('READONLY');
    expect(breaker.failed('the connection ended')).toBe(false);
    expect(breaker.outage?.reason).toBe('READONLY');
  });

  it('is not closed by an answer that was under way', () => {
    const { breaker } = make();
    breaker.open('gone');
    breaker.worked();
    expect(breaker.outage).not.toBeNull();
  });

  it('opens at once when told to, and then only changes its reason', async () => {
    const { clock, breaker } = make();
    const since = clock.now();
    expect(breaker.open('hangs')).toBe(true);
    await clock.advance(500);
    expect(breaker.open('refused')).toBe(false);
    expect(breaker.outage).toEqual({ since, reason: 'refused' });
  });

  it('starts from nothing once it is closed, and tells what has ended', async () => {
    const { clock, breaker } = make();
    const since = clock.now();
    breaker.open('gone');
    await clock.advance(500);
    expect(breaker.close()).toEqual({ since, reason: 'gone' });
    expect(breaker.close()).toBeNull();
    expect(breaker.failed('one')).toBe(false);
    expect(breaker.failed('two')).toBe(false);
    expect(breaker.outage).toBeNull();
  });
});
