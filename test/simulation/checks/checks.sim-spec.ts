import { describe, expect, it } from 'vitest';
import type { Data } from '../database/sql-expression.js';
import type { Change } from '../database/transaction.js';
import type { StoredMessage } from '../ports/broker.js';
import type { SentEvent } from '../world/fake-wecom.js';
import { AllEnds } from './all-ends.js';
import type { Answered, Check, View } from './check.js';
import { makeChecks } from './checks.js';
import { CommandsDelivered } from './commands-delivered.js';
import { DistinctEvents } from './distinct-events.js';
import { DurableBeforeSuccess } from './durable-before-success.js';
import { EffectWithOutcome } from './effect-with-outcome.js';
import { EnoughSucceeded } from './enough-succeeded.js';
import { FinalOutcome } from './final-outcome.js';
import { GuardTruth } from './guard-truth.js';
import { KnownErrors } from './known-errors.js';
import { Lines } from './lines.js';
import { NothingLost } from './nothing-lost.js';
import { OneEffect } from './one-effect.js';
import { Order } from './order.js';
import { OwnCorp } from './own-corp.js';
import { RightVerdict } from './right-verdict.js';
import { TransportOrder } from './transport-order.js';
import { TrueRedrives } from './true-redrives.js';

const GROUP = 'own/wwA/customer-group/wr1';
const event = (more: Partial<SentEvent> = {}): SentEvent => ({
  ...{ number: 0, app: 'own', corpId: 'wwA', plaintext: '<xml>0</xml>', at: 0, acceptedAt: 5, ...more },
});
const answered = (more: Partial<Answered> = {}): Answered => ({
  ...{ event: event(), gateway: 'g.1', at: 10, receivedAt: 1, how: 'published', eventKey: 'a'.repeat(64), ...more },
});
function message(offset: number, eventKey: string, instance = 'g.1', topic = 'events'): StoredMessage {
  const key = eventKey.padEnd(64, '0');
  const body = {
    ...{ v: 1, eventKey: key, app: 'own', corpId: 'wwA', eventType: 't', plaintext: '<xml>0</xml>', changeType: null },
    ...{ entityKey: GROUP, msgId: null, payloadKeyId: null, trace: null, createTime: 1 },
    gateway: { receivedAt: 1, instance, guard: 'claimed', spooledSince: null },
  };
  return { topic, offset, orderingKey: GROUP, body: JSON.stringify(body) };
}
const row = (more: Record<string, unknown> = {}): Data => ({
  ...{ id: 1, msg_id_or_hash: 'a'.padEnd(64, '0'), app: 'own', corp_id: 'wwA', plaintext: '<xml>0</xml>' },
  ...{ status: 'APPLIED', entity_key: GROUP, generation: 0, lane_seq: null, create_time: 5, ...more },
});
const insert = (table: string, after: Record<string, unknown>): Change => ({
  table,
  before: null,
  after: after as Data,
});
const update = (before: Data, after: Data): Change => ({ table: 'event_log', before, after });
function view(more: Partial<View> & { tables?: Readonly<Record<string, readonly Data[]>> } = {}): View {
  const { tables = {}, ...given } = more;
  return {
    ...{ now: 0, events: [], log: [], isOrderMixed: false, unsettled: () => [], spooled: () => [] },
    rows: (table) => tables[table] ?? [],
    find: (table, column, value) => tables[table]?.find((one) => one[column] === value),
    ...given,
  };
}

/** What each check is shown that it must not let pass, and something like it that it must. */
const CASES: readonly (readonly [make: () => Check, wrong: (check: Check) => void, right: (check: Check) => void])[] = [
  [
    () => new DurableBeforeSuccess(),
    (check) => check.onAnswered(answered(), view()),
    (check) => {
      check.onPublish(message(0, 'a'), view());
      check.onAnswered(answered(), view());
      check.onAnswered(
        answered({ event: event({ plaintext: 'x' }) }),
        view({ tables: { event_log: [row({ plaintext: 'x' })] } }),
      );
    },
  ],
  [
    () => new KnownErrors(),
    (check) => check.onCommit([update(row(), row({ status: 'RETRY', error_code: 'TypeError' }))], view()),
    (check) => check.onCommit([update(row(), row({ status: 'RETRY', error_code: 'BUG' }))], view()),
  ],
  [
    () => new Lines(),
    (check) =>
      check.onCommit(
        [insert('event_log', row({ status: 'DEAD', lane_seq: 1 })), insert('event_log', row({ id: 2 }))],
        view(),
      ),
    (check) => {
      const [dead, parked] = [row({ status: 'DEAD', lane_seq: 1 }), row({ id: 2, status: 'PARKED', lane_seq: 2 })];
      check.onCommit(
        [insert('event_log', row({ id: 3 })), insert('event_log', dead), insert('event_log', parked)],
        view(),
      );
      check.onCommit([insert('event_log', row({ id: 4, entity_key: 'own/wwA/customer-group/wr2' }))], view());
      check.onCommit([update(dead, row({ lane_seq: 1 })), update(parked, row({ id: 2, lane_seq: 2 }))], view());
      check.onCommit([insert('event_log', row({ id: 5 }))], view());
    },
  ],
  [
    () => new Lines(),
    (check) => {
      const [dead, parked] = [row({ status: 'DEAD', lane_seq: 1 }), row({ id: 2, status: 'PARKED', lane_seq: 2 })];
      check.onCommit([insert('event_log', dead), insert('event_log', parked)], view());
      check.onCommit([update(parked, row({ id: 2, lane_seq: 2 }))], view());
    },
    (check) => {
      const [dead, parked] = [row({ status: 'DEAD', lane_seq: 1 }), row({ id: 2, status: 'PARKED', lane_seq: 2 })];
      check.onCommit([insert('event_log', dead), insert('event_log', parked)], view());
      check.onCommit([update(parked, row({ id: 2, status: 'DISCARDED', lane_seq: 2 }))], view());
    },
  ],
  [
    () => new Lines(),
    (check) => {
      const place = { status: 'PARKED', lane_seq: 1 };
      check.onCommit([insert('event_log', row(place)), insert('event_log', row({ id: 2, ...place }))], view());
    },
    (check) => check.onCommit([insert('event_log', row({ status: 'PARKED', lane_seq: 1 }))], view()),
  ],
  [
    () => new NothingLost(),
    (check) => check.atEnd(view({ events: [event()] })),
    (check) =>
      check.atEnd(
        view({ events: [event(), event({ plaintext: 'y', acceptedAt: null })], tables: { event_log: [row()] } }),
      ),
  ],
  [
    () => new OneEffect(),
    (check) => check.onCommit([insert('ledger', { event_key: 'a' }), insert('ledger', { event_key: 'a' })], view()),
    (check) => {
      check.onCommit([insert('ledger', { event_key: row()['msg_id_or_hash'] })], view());
      check.atEnd(view({ tables: { event_log: [row(), row({ msg_id_or_hash: 'b', status: 'STALE' })] } }));
    },
  ],
  [
    () => new Order(),
    (check) => {
      const change = { entity_key: GROUP, event_key: 'e', from_state: 'NONE', to_state: 'OPEN', event_rank: 1 };
      check.onCommit([insert('entity_change', { ...change, create_time: 5 })], view());
      check.onCommit([insert('entity_change', { ...change, create_time: 4, from_state: 'OPEN' })], view());
    },
    (check) => {
      const change = { entity_key: 'own/wwA/demo-task/t', event_key: 'e', from_state: '', to_state: '', event_rank: 0 };
      for (const create_time of [5, 5, 6])
        check.onCommit([insert('entity_change', { ...change, create_time })], view());
    },
  ],
  [
    () => new TransportOrder(),
    (check) => {
      ['a', 'b'].forEach((key, offset) => check.onPublish(message(offset, key), view()));
      for (const key of ['b', 'a'])
        check.onCommit([insert('event_log', row({ msg_id_or_hash: key.padEnd(64, '0') }))], view());
    },
    (check) => {
      ['a', 'b'].forEach((key, offset) => check.onPublish(message(offset, key), view()));
      for (const key of ['a', 'b'])
        check.onCommit([insert('event_log', row({ msg_id_or_hash: key.padEnd(64, '0') }))], view());
      for (const key of ['b', 'a'])
        check.onCommit(
          [insert('event_log', row({ msg_id_or_hash: key.padEnd(64, '0') }))],
          view({ isOrderMixed: true }),
        );
    },
  ],
  [
    () => new RightVerdict(),
    (check) => {
      const saga = { entity_key: GROUP, last_event_time: 4, last_rank: 1 } as Data;
      check.onCommit([insert('event_log', row({ status: 'STALE' }))], view({ tables: { saga: [saga] } }));
    },
    (check) => {
      const saga = { entity_key: GROUP, last_event_time: 6, last_rank: 1 } as Data;
      check.onCommit([insert('event_log', row({ status: 'STALE' }))], view({ tables: { saga: [saga] } }));
    },
  ],
  [
    () => new FinalOutcome(),
    (check) => check.onCommit([update(row(), row({ status: 'RETRY' }))], view()),
    (check) => {
      check.onCommit([update(row({ status: 'DEAD' }), row({ status: 'REDRIVEN', generation: 1 }))], view());
      check.onCommit([update(row({ status: 'PARKED' }), row({ status: 'DISCARDED' }))], view());
    },
  ],
  [
    () => new EffectWithOutcome(),
    (check) => check.onCommit([insert('ledger', { event_key: row()['msg_id_or_hash'] })], view()),
    (check) =>
      check.onCommit([insert('ledger', { event_key: row()['msg_id_or_hash'] }), insert('event_log', row())], view()),
  ],
  [
    () => new AllEnds(),
    (check) => check.atEnd(view({ tables: { event_log: [row({ status: 'PARKED' })] } })),
    (check) => check.atEnd(view({ tables: { event_log: [row()] } })),
  ],
  [
    () => new TrueRedrives(),
    (check) => check.onReport('redrive', { id: 1, generation: 0 }, { result: 'redriven' } as never, view()),
    (check) => {
      check.onCommit([update(row({ status: 'DEAD' }), row({ status: 'REDRIVEN', generation: 1 }))], view());
      check.onReport('redrive', { id: 1, generation: 0 }, { result: 'redriven' } as never, view());
    },
  ],
  [
    () => new OwnCorp(),
    (check) => {
      const change = insert('entity_change', {
        event_key: row()['msg_id_or_hash'],
        entity_key: 'own/wwB/customer-group/wr1',
      });
      check.onCommit([change], view({ events: [event()], tables: { event_log: [row()] } }));
    },
    (check) => {
      const change = insert('entity_change', { event_key: row()['msg_id_or_hash'], entity_key: GROUP });
      check.onCommit([change], view({ events: [event()], tables: { event_log: [row()] } }));
    },
  ],
  [
    () => new DistinctEvents(),
    (check) => {
      check.onAnswered(answered(), view());
      check.onAnswered(answered({ event: event({ corpId: 'wwB' }) }), view());
    },
    (check) => {
      check.onAnswered(answered(), view());
      check.onAnswered(answered({ gateway: 'g.2' }), view());
    },
  ],
  [
    () => new GuardTruth(),
    (check) => {
      const acquire = { step: 'acquire', key: 'k', ttlMs: 100, result: { kind: 'acquired' } } as const;
      check.onGuardMove({ ...acquire, token: 'one', holder: 'one' }, view());
      check.onGuardMove({ ...acquire, token: 'two', holder: 'two' }, view({ now: 50 }));
    },
    (check) => {
      const acquire = { step: 'acquire', key: 'k', ttlMs: 100, result: { kind: 'acquired' } } as const;
      check.onGuardMove({ ...acquire, token: 'one', holder: 'one' }, view());
      check.onGuardMove({ ...acquire, token: 'two', holder: 'two' }, view({ now: 100 }));
      check.onGuardLoss();
      check.onGuardMove({ ...acquire, token: 'three', holder: 'three' }, view({ now: 101 }));
    },
  ],
  [
    () => new CommandsDelivered(),
    (check) => {
      const command = JSON.stringify({ kind: 'topic', topic: 'notes', body: 'b' });
      check.onCommit([{ table: 'outbox', before: { command, idempotency_key: 'k' }, after: null }], view());
    },
    (check) => {
      const command = JSON.stringify({ kind: 'topic', topic: 'notes', body: 'b' });
      check.onCommit([insert('outbox', { command, idempotency_key: 'k' })], view());
      check.onPublish({ topic: 'notes', offset: 0, orderingKey: '', body: 'b' }, view());
      check.onCommit([{ table: 'outbox', before: { command, idempotency_key: 'k' }, after: null }], view());
      check.atEnd(view());
    },
  ],
  [
    () => new EnoughSucceeded(),
    (check) => check.atEnd(view({ events: [event({ acceptedAt: null })] })),
    (check) => check.atEnd(view({ events: [event()], tables: { event_log: [row()] } })),
  ],
];

describe('a checker', () => {
  it.each(CASES.map((one) => [one[0]().name, ...one] as const))(
    'can fail, and does not without need: %s',
    (...given) => {
      const [, make, wrong, right] = given;
      for (const [act, isRight] of [
        [wrong, false],
        [right, true],
      ] as const) {
        const found: string[] = [];
        const check = make();
        check.violate = (what) => void found.push(what);
        act(check);
        expect(found.length === 0, found.join('; ')).toBe(isRight);
      }
    },
  );

  it('is there for each that a schedule has', () => {
    expect([...new Set(CASES.map(([make]) => make().constructor.name))].sort()).toEqual(
      makeChecks()
        .map((check) => check.constructor.name)
        .sort(),
    );
  });
});
