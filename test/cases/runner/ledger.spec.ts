import { describe, expect, it } from 'vitest';
import type { JournalLine } from '../product/control.js';
import { pointOf } from '../product/control.js';
import { fieldsFit, fits, valuesAt } from './field-paths.js';
import { concurrencyMax, Ledger, type Delivered } from './ledger.js';
import { CaseFailedError } from './verdict.js';

const text = (msgId: string, content: string): string =>
  `<xml><ToUserName>ww</ToUserName><MsgType>text</MsgType><Content><![CDATA[${content}]]></Content><MsgId>${msgId}</MsgId></xml>`;
const delivered = (app: string, body: string, result: Delivered['result']): Delivered => ({
  ...{ app, text: body, result, sentAt: 0 },
});

describe('Ledger', () => {
  it('counts an event once however often it was delivered, by app and id', () => {
    const ledger = new Ledger();
    for (const app of ['self', 'self', 'self2']) ledger.add(delivered(app, text('1', 'a'), 'ack'));
    ledger.add(delivered('self', text('1', 'changed'), 'ack'));
    ledger.add(delivered('self', text('2', 'a'), 'other'));
    expect(ledger.ackedEvents()).toHaveLength(2);
    expect(ledger.acked({ Content: 'a' })).toHaveLength(3);
  });

  it('takes a text for refused only when no delivery of it went through', () => {
    const ledger = new Ledger();
    ledger.add(delivered('self', text('1', 'a'), 'rejected'));
    ledger.add(delivered('self', text('2', 'b'), 'rejected'));
    ledger.add(delivered('self', text('2', 'b'), 'ack'));
    expect(ledger.refused().map((one) => one.text)).toEqual([text('1', 'a')]);
  });

  it('finds deliveries from the end, or by a value in their text', () => {
    const ledger = new Ledger();
    for (const id of ['1', '2', '3']) ledger.add(delivered('self', text(id, `c${id}`), 'ack'));
    const content = (ref: string): boolean =>
      fieldsFit(ledger.byRef(ref).text, { Content: ref === 'last' ? 'c3' : 'c2' });
    expect([content('last'), content('last-1'), content('c2')]).toEqual([true, true, true]);
    expect(() => ledger.byRef('last-3')).toThrow(CaseFailedError);
    expect(() => ledger.byRef('c')).toThrow(CaseFailedError);
  });
});

describe('concurrencyMax', () => {
  const line = (kind: 'began' | 'ended', eventKey: string, at: number, pid = 1): JournalLine => ({
    ...{ kind, eventKey, at, pid },
  });

  it('counts handlers of one event that overlap, and not those of two events or one after another', () => {
    const after = [line('began', 'a', 1), line('ended', 'a', 2), line('began', 'a', 3), line('ended', 'a', 4)];
    const others = [line('began', 'b', 1), line('ended', 'b', 9)];
    expect(concurrencyMax([...after, ...others], () => 0)).toBe(1);
    expect(concurrencyMax([...after, line('began', 'a', 1.5, 2), line('ended', 'a', 8, 2)], () => 0)).toBe(2);
  });

  it('ends the handler of a killed process with the process', () => {
    const lines = [line('began', 'a', 1, 1), line('began', 'a', 5, 2), line('ended', 'a', 6, 2)];
    expect(concurrencyMax(lines, () => 4)).toBe(1);
    expect(concurrencyMax(lines, () => 6)).toBe(2);
  });
});

describe('paths and patterns', () => {
  it('reads own members only', () => {
    expect(valuesAt({ a: { b: 'c' } }, 'a.b')).toEqual(['c']);
    expect(valuesAt({ a: '' }, 'constructor.name')).toEqual([undefined]);
    expect(() => valuesAt({ a: 'x' }, 'a[0]')).toThrow(CaseFailedError);
  });

  it('takes only the star for a pattern', () => {
    expect(fits('wmOk3', 'wmOk*')).toBe(true);
    expect(fits('a.c', 'a.c')).toBe(true);
    expect(fits('abc', 'a.c')).toBe(false);
    expect(fits(undefined, '*')).toBe(false);
  });

  it('a point between two steps is the one after the first', () => {
    expect(pointOf('after-claim-before-publish')).toBe('after-claim');
    expect(pointOf('before-mark')).toBe('before-mark');
    expect(pointOf('before-mark-after-commit')).toBeNull();
    expect(pointOf('after-mark-before-commit')).toBeNull();
  });
});
