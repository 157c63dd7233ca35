import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartitionTracker } from './partition-tracker.js';

function received(...offsets: number[]): PartitionTracker {
  const tracker = new PartitionTracker();
  for (const offset of offsets) tracker.received(offset);
  return tracker;
}

describe('PartitionTracker', () => {
  it('has nothing to commit before anything is settled', () => {
    expect(new PartitionTracker().committable()).toBeNull();
    expect(received(7, 8).committable()).toBeNull();
  });

  it('does not pass a record that is not settled, whatever was settled behind it', () => {
    const tracker = received(7, 8, 9);
    tracker.settled(9);
    tracker.settled(8);
    expect(tracker.committable()).toBeNull();
    tracker.settled(7);
    expect(tracker.committable()).toBe(10);
  });

  it('steps over gaps, where records were compacted away', () => {
    const tracker = received(3, 10, 11);
    tracker.settled(3);
    expect(tracker.committable()).toBe(10);
    tracker.settled(10);
    tracker.settled(11);
    expect(tracker.committable()).toBe(12);
  });

  it('does not say again what the broker has acknowledged, nor less', () => {
    const tracker = received(0, 1);
    tracker.settled(0);
    tracker.committed(1);
    expect(tracker.committable()).toBeNull();
    tracker.settled(1);
    expect(tracker.committable()).toBe(2);
    // An answer that comes late.
    tracker.committed(2);
    tracker.committed(1);
    expect(tracker.committable()).toBeNull();
  });

  it('takes a record once', () => {
    const tracker = received(5, 6);
    expect([tracker.received(5), tracker.received(6), tracker.received(7)]).toEqual([false, false, true]);
    expect(tracker.span).toBe(3);
  });

  it('commits exactly up to the first record that is not settled, in any order of settling', () => {
    const history = fc
      .uniqueArray(fc.nat(400), { minLength: 1 })
      .chain((offsets) => fc.tuple(fc.constant([...offsets].sort((a, b) => a - b)), fc.shuffledSubarray(offsets)));
    fc.assert(
      fc.property(history, ([offsets, settled]) => {
        const tracker = received(...offsets);
        const left = new Set(offsets);
        for (const offset of settled) {
          tracker.settled(offset);
          left.delete(offset);
          const open = offsets.filter((one) => left.has(one));
          const expected = open[0] ?? offsets.at(-1)! + 1;
          expect(tracker.committable()).toBe(expected > offsets[0]! ? expected : null);
          expect(tracker.span).toBe(offsets.filter((one) => one >= expected).length);
        }
      }),
    );
  });

  it('stays small over a long life', () => {
    const tracker = new PartitionTracker();
    for (let offset = 0; offset < 10_000; offset += 1) {
      tracker.received(offset);
      tracker.settled(offset);
    }
    expect(tracker.span).toBe(0);
    expect((tracker as unknown as { offsets: number[] }).offsets.length).toBeLessThan(3_000);
  });
});
