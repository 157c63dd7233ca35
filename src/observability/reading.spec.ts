import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { Reading } from './reading.js';

const OPTIONS = { everyMs: 5_000, limitMs: 1_000 };

describe('a reading for gauges', () => {
  it('is shared by those who ask within its time, and made anew after it', async () => {
    const clock = new ManualClock();
    let count = 0;
    const reading = new Reading(clock, 'it', async () => (count += 1), OPTIONS);
    expect(await Promise.all([reading.get(), reading.get()])).toEqual([1, 1]);
    await clock.advance(4_999);
    expect(await reading.get()).toBe(1);
    await clock.advance(1);
    expect(await reading.get()).toBe(2);
  });

  it('of something that fails or hangs is no number, and not the last one either', async () => {
    const clock = new ManualClock();
    const answers = [
      () => Promise.resolve(7),
      () => Promise.reject<number>(new Error('away')),
      () => new Promise<number>(() => undefined),
    ];
    const reading = new Reading(clock, 'it', () => (answers.shift() ?? expect.fail('asked too often'))(), OPTIONS);
    expect(await reading.get()).toBe(7);
    await clock.advance(5_000);
    expect(await reading.get()).toBeNull();
    await clock.advance(5_000);
    const hanging = reading.get();
    await clock.advance(1_000);
    expect(await hanging).toBeNull();
  });
});
