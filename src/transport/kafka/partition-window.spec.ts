import { describe, expect, it } from 'vitest';
import { PartitionWindow } from './partition-window.js';

const LIMITS = { records: 10, bytes: 1_000, span: 20 };

describe('PartitionWindow', () => {
  it.each([
    ['records', { records: 10, bytes: 0 }],
    ['bytes', { records: 1, bytes: 1_000 }],
  ])('pauses when it is full by %s, once, and goes on at half', (_, full) => {
    const window = new PartitionWindow(LIMITS);
    expect(window.balance({ records: full.records - 1, bytes: full.bytes - 1 })).toBe('none');
    expect(window.balance(full)).toBe('pause');
    expect(window.balance(full)).toBe('none');
    expect(window.balance({ records: full.records * 0.6, bytes: full.bytes * 0.6 })).toBe('none');
    expect(window.balance({ records: full.records * 0.5, bytes: full.bytes * 0.5 })).toBe('resume');
    expect(window.balance({ records: 0, bytes: 0 })).toBe('none');
  });

  it('pauses when too much stands open behind a record that is stuck, though little is in memory', () => {
    const window = new PartitionWindow(LIMITS);
    for (let offset = 0; offset < 20; offset += 1) window.tracker.received(offset);
    for (let offset = 1; offset < 20; offset += 1) window.tracker.settled(offset);
    expect(window.balance({ records: 1, bytes: 1 })).toBe('pause');
    window.tracker.settled(0);
    expect(window.balance({ records: 0, bytes: 0 })).toBe('resume');
  });
});
