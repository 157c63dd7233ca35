import { describe, expect, it } from 'vitest';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { callbacksOf, readProfile } from './read-case.js';

/** Which deliveries of a scenario are one event: the index of the first delivery with the same key, for each. */
function sameness(caseId: string): number[] {
  const keys = callbacksOf(caseId).map(({ app, plaintext }) => {
    const { receiveId } = readProfile(app);
    return eventKey({ receiver: app, parsed: parseEvent(plaintext, receiveId), receiveId, plaintext, volatile: [] });
  });
  return keys.map((key) => keys.indexOf(key));
}

describe('which deliveries have the same event key', () => {
  it('same-01: two customers who add one member within a second are two events', () => {
    expect(sameness('same-01')).toEqual([0, 1]);
  });

  it('same-02: approvals passed in bulk differ by their number, and each repeat is known', () => {
    expect(sameness('same-02')).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('same-03: one happening is an event for each app', () => {
    expect(sameness('same-03')).toEqual([0, 1, 2, 3]);
  });

  it('same-03: also when the texts of the two apps are equal', () => {
    const [first] = callbacksOf('same-03');
    const plaintext = first?.plaintext ?? '';
    const keys = ['self', 'self2'].map((receiver) =>
      eventKey({ receiver, parsed: parseEvent(plaintext, 'ww'), receiveId: 'ww', plaintext, volatile: [] }),
    );
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('same-04: the same words under two message ids are two events', () => {
    expect(sameness('same-04')).toEqual([0, 1]);
  });

  it('same-05: three deliveries of one message are one event', () => {
    expect(sameness('same-05')).toEqual([0, 0, 0]);
  });

  it('same-06: four deliveries of an event without an id are one event', () => {
    expect(sameness('same-06')).toEqual([0, 0, 0, 0]);
  });
});
