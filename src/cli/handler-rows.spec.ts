import { describe, expect, it } from 'vitest';
import { handlerLines, type HandlerItem, type HandlerList, type PausedHandler } from './handler-rows.js';

const AT = Date.UTC(2026, 11, 1, 8);
const one = (fields: Partial<HandlerItem>): HandlerItem => ({
  ...{ event: 'sys_approval_change', name: 'ApprovalHandler', order: 'latest', statuses: {}, runs: 0, failedRuns: 0 },
  ...fields,
});
const pause = (fields: Partial<PausedHandler>): PausedHandler => ({
  ...{ handler: 'ApprovalHandler', pausedAt: AT, actor: 'kim', reason: 'it pays twice', waiting: 3, ...fields },
});
const list = (fields: Partial<HandlerList>): string[] =>
  handlerLines({ items: [one({})], paused: [], since: AT, ...fields });

describe('a list of handlers', () => {
  it('shows a line an event, with its runs and statuses', () => {
    const statuses = { APPLIED: 40, DEAD: 2 };
    expect(list({ items: [one({}), one({ event: 'ping', order: null, statuses, runs: 48, failedRuns: 8 })] })).toEqual([
      'EVENT                HANDLER          ORDER   RUNS  FAILED  PAUSED  STATUSES',
      'sys_approval_change  ApprovalHandler  latest  0     0               -',
      'ping                 ApprovalHandler  -       48    8               APPLIED 40, DEAD 2',
    ]);
  });

  it('tells below it who paused what and why, also of a handler that is not there', () => {
    const paused = [pause({}), pause({ handler: 'OldName', actor: 'lee', reason: '', waiting: 10_001 })];
    expect(list({ paused })).toEqual([
      'EVENT                HANDLER          ORDER   RUNS  FAILED  PAUSED  STATUSES',
      'sys_approval_change  ApprovalHandler  latest  0     0       paused  -',
      '',
      'PAUSED           SINCE (UTC)          BY   WAITING          WHY',
      'ApprovalHandler  2026-12-01 08:00:00  kim  3                it pays twice',
      'OldName          2026-12-01 08:00:00  lee  more than 10000',
    ]);
  });

  it('moves no cursor by what somebody wrote', () => {
    const odd = 'a\u001b[1Ab';
    const items = [one({ event: odd, name: odd })];
    const paused = [pause({ handler: odd, actor: odd, reason: odd })];
    expect(list({ items, paused }).join('')).not.toMatch(/[\u0000-\u001f]/);
  });
});
