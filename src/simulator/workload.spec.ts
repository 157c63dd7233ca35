import { describe, expect, it } from 'vitest';
import { textAt } from '../entity-types/fields.js';
import { BUILT_IN_MACHINES } from '../handlers/built-in-machines.js';
import { transitionOf } from '../saga/state-machine.js';
import type { WecomEvent } from '../wecom/event.js';
import { parseEvent } from '../wecom/parse-event.js';
import { identifyEvent } from './identify-event.js';
import { workload } from './workload.js';

const OPTIONS = {
  seed: 7,
  startedAtMs: 1_790_000_000_500,
  count: 2_000,
  failShare: 0.02,
  corpId: 'ww00c0ffee00d0aa11',
};
function eventOf(plaintext: string): WecomEvent {
  const parsed = parseEvent(plaintext, OPTIONS.corpId);
  if (parsed.kind !== 'event') throw new Error(`not an event: ${plaintext}`);
  return parsed.event;
}

const planned = workload(OPTIONS);
const events = planned.map(({ plaintext }) => ({
  ...identifyEvent(plaintext, 'demo', OPTIONS.corpId),
  event: eventOf(plaintext),
}));

describe('workload', () => {
  it('is the same for the same seed, start and count, and another for another seed', () => {
    expect(workload(OPTIONS)).toEqual(planned);
    expect(workload({ ...OPTIONS, seed: 8 })).not.toEqual(planned);
  });

  it('shares no id with a run of the same seed that started a millisecond later', () => {
    const keys = new Set(events.map(({ entityKey }) => entityKey).filter((key) => key !== null));
    const later = workload({ ...OPTIONS, startedAtMs: OPTIONS.startedAtMs + 1 });
    const shared = later
      .map(({ plaintext }) => identifyEvent(plaintext, 'demo', OPTIONS.corpId).entityKey)
      .filter((key) => keys.has(key!));
    expect(shared).toEqual([]);
  });

  it.each([1, 2, 3])('has as many events as asked for, no two alike in text or in key (seed %i)', (seed) => {
    const texts = workload({ ...OPTIONS, seed }).map(({ plaintext }) => plaintext);
    expect(texts).toHaveLength(OPTIONS.count);
    expect(new Set(texts).size).toBe(OPTIONS.count);
    const keys = texts.map((text) => identifyEvent(text, 'demo', OPTIONS.corpId).eventKey);
    expect(new Set(keys).size).toBe(OPTIONS.count);
  });

  it('tells only legal histories: the handlers accept each event, and none is doubtful', () => {
    const states = new Map<string, string>();
    let stepCount = 0;
    for (const { event, entityKey } of events) {
      if (entityKey === null || textAt(event.fields, 'ApprovalInfo.SpStatus') === '8') continue;
      const machine = BUILT_IN_MACHINES.find(({ name }) => name === entityKey.split('/')[2]);
      if (machine === undefined) continue;
      const from = states.get(entityKey) ?? machine.initial;
      const transition = transitionOf(machine, from, machine.trigger(event)!, event);
      expect(transition, `${machine.name} in ${from}: ${event.changeType}`).not.toBeNull();
      expect(transition!.unconfirmed, `${machine.name} in ${from}`).toBeUndefined();
      states.set(entityKey, transition!.to);
      stepCount += 1;
    }
    expect(stepCount).toBeGreaterThan(OPTIONS.count / 2);
    expect(new Set(states.values())).toEqual(
      new Set([
        ...['RUNNING', 'PASSED', 'REJECTED', 'WITHDRAWN', 'UNDONE', 'PAID', 'OPEN', 'DISSOLVED', 'HALF', 'ACTIVE'],
        ...['DELETED_BY_USER', 'DELETED_BY_CUSTOMER', 'DELETED_BOTH', 'TRANSFERRED'],
      ]),
    );
  });

  it('chains the member versions of each group', () => {
    const versions = new Map<string, string>();
    for (const { event, entityKey } of events.filter(({ event }) => event.changeType === 'update')) {
      const before = versions.get(entityKey!);
      if (before !== undefined) expect(textAt(event.fields, 'LastMemVer')).toBe(before);
      versions.set(entityKey!, textAt(event.fields, 'CurMemVer')!);
    }
    expect(versions.size).toBeGreaterThan(10);
  });

  it('never goes back in time, ends in the second of the start, and has objects with several events in one second', () => {
    const times = events.map(({ createTime }) => createTime!);
    expect(times).toEqual([...times].sort((left, right) => left - right));
    expect(times.at(-1)).toBe(1_790_000_000);
    expect(times[0]).toBeGreaterThan(1_790_000_000 - 3_600);
    const moments = events
      .filter(({ entityKey }) => entityKey !== null)
      .map((event) => `${event.entityKey}@${event.createTime}`);
    expect(moments.length - new Set(moments).size).toBeGreaterThan(50);
  });

  it('holds messages, unknown events and customers whose ids differ in letter case alone', () => {
    const types = new Set(events.map(({ event }) => event.eventType));
    expect([...types]).toEqual(expect.arrayContaining(['text', 'simulated_future_event', 'demo_task']));
    const messageIds = events.flatMap(({ event }) => event.msgId ?? []);
    expect(messageIds.some((id) => /^\d{19}$/.test(id)) && messageIds.some((id) => id.endsWith('=='))).toBe(true);
    const customers = new Set(events.flatMap(({ event }) => textAt(event.fields, 'ExternalUserID') ?? []));
    const folded = new Set([...customers].map((id) => id.toLowerCase()));
    expect(folded.size).toBeLessThan(customers.size);
  });

  it('has about the asked share of events that a handler fails on, and none when it is 0', () => {
    const isFailing = ({ eventType, fields }: WecomEvent): boolean =>
      eventType === 'demo_task' || textAt(fields, 'ApprovalInfo.SpStatus') === '8';
    const count = events.filter(({ event }) => isFailing(event)).length;
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThan(80);
    const none = workload({ ...OPTIONS, failShare: 0 }).map(({ plaintext }) => eventOf(plaintext));
    expect(none.filter(isFailing)).toEqual([]);
  });

  it('says which events are meant to be dead letters: fatal tasks and approvals in an undefined status', () => {
    const dead = planned.filter(({ endsDead }) => endsDead).map(({ plaintext }) => plaintext);
    const texts = planned.map(({ plaintext }) => plaintext);
    expect(dead).toEqual(texts.filter((text) => /<Fatal>1<|<SpStatus><!\[CDATA\[8\]/.test(text)));
    expect(dead.length).toBeGreaterThan(0);
  });
});
