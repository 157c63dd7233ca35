import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { PollLoop } from './poll-loop.js';

function open(pass: () => Promise<boolean>) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const loop = new PollLoop(clock, 200, pass, (error) => void errors.push(error));
  return { clock, errors, loop };
}

describe('a poll loop', () => {
  it('passes at once while there is more to do, else after its interval', async () => {
    const answers = [true, true, false, false];
    let passes = 0;
    const { clock, loop } = open(async () => answers[passes++] ?? false);
    loop.start();
    await clock.settle();
    expect(passes).toBe(3);
    await clock.advance(199);
    expect(passes).toBe(3);
    await clock.advance(1);
    expect(passes).toBe(4);
    await loop.stop(1_000);
    expect(clock.timerCount).toBe(0);
  });

  it('goes on after a pass that failed, and tells', async () => {
    let passes = 0;
    const { clock, errors, loop } = open(() => ((passes += 1), Promise.reject(new Error('away'))));
    loop.start();
    await clock.advance(400);
    expect([passes, errors.length]).toEqual([3, 3]);
    await loop.stop(1_000);
  });

  it('never has two passes side by side, and stops when the one under way has ended', async () => {
    const [ends, order]: [(() => void)[], string[]] = [[], []];
    const { clock, loop } = open(async () => {
      order.push('pass');
      await new Promise<void>((resolve) => ends.push(resolve));
      return true;
    });
    loop.start();
    await clock.advance(10_000);
    expect(order).toEqual(['pass']);
    const stopped = loop.stop(60_000).then(() => order.push('stopped'));
    await clock.advance(50_000);
    expect(order).toEqual(['pass']);
    ends[0]?.();
    await stopped;
    expect(order).toEqual(['pass', 'stopped']);
    expect(clock.timerCount).toBe(0);
  });

  it('stops at its limit when a pass does not end', async () => {
    let isStopped = false;
    const { clock, loop } = open(() => new Promise(() => undefined));
    loop.start();
    const stopped = loop.stop(5_000).then(() => (isStopped = true));
    await clock.advance(4_999);
    expect(isStopped).toBe(false);
    await clock.advance(1);
    await stopped;
    expect(clock.timerCount).toBe(0);
  });
});
