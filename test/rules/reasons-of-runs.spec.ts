import { afterEach, describe, expect, it } from 'vitest';
import { Translator } from '../../console/src/i18n/phrases.js';
import { REASONS_ZH_CN } from '../../console/src/i18n/reasons-zh-cn.js';
import { ACTIONS } from '../../src/admin/dead-letter-service.js';
import { forecast, FORECASTS, type ForecastInput } from '../../src/admin/forecast.js';
import { defineEntityType } from '../../src/entity-types/entity-type.js';
import type { EventRow } from '../../src/event-log/event-log.js';
import { STATUSES } from '../../src/admin/event-view.js';
import { approvalMachine } from '../../src/handlers/approval/approval-machine.js';
import { BUILT_IN_MACHINES } from '../../src/handlers/built-in-machines.js';
import { memberMachine } from '../../src/handlers/member/member-machine.js';
import { UnrecoverableError } from '../../src/saga/unrecoverable-error.js';
import { decide, UNSEEN, type EntitySnapshot, type Reread } from '../../src/saga/decide.js';
import { decodeMessage } from '../../src/transport/message-codec.js';
import type { WecomEvent } from '../../src/wecom/event.js';
import { planGroup } from '../../src/worker/plan.js';
import { describeFailure } from '../../src/worker/retry-policy.js';
import type { LeasedItem } from '../../src/worker/work-item.js';
import { approvalXml, memberXml } from '../support/texts.js';
import { thingXml, WorkerRig } from '../support/worker-rig.js';

const { groups } = REASONS_ZH_CN;
const ZH_CN = new Translator(REASONS_ZH_CN);
const met = new Set<string>();

/** Fails when the console has no Chinese for it, or when something that varies is not in it. */
function checkSaid(reason: string, asked: readonly string[] = ['reason', 'condition', 'message']): void {
  const { text, sentences } = ZH_CN.say(reason, asked) ?? { text: '', sentences: [] };
  expect(text, `the console does not know "${reason}"`).toMatch(/[\u4e00-\u9fff]/);
  for (const part of reason.match(/\d+|[A-Z]+(?:_[A-Z]+)+|\S+\/\S+/g) ?? []) expect(text, reason).toContain(part);
  expect(text).not.toMatch(/[{}]|undefined/);
  for (const sentence of sentences) met.add(sentence);
}

let rig: WorkerRig | null = null;
afterEach(async () => {
  await rig?.close();
  rig = null;
});

/** All reasons and errors that the database holds. */
async function written(): Promise<{ reasons: string[]; messages: string[] }> {
  const histories = (await rig?.database.query<{ reason: string }>('SELECT reason FROM event_history')) ?? [];
  const rows = (await rig?.rows()) ?? [];
  const messages = rows.flatMap(({ errorCode, errorMessage }) =>
    errorCode === null || errorCode === 'HANDLER_SAYS' ? [] : (errorMessage ?? []),
  );
  return { reasons: histories.map(({ reason }) => reason), messages };
}

describe('the decisions of a worker', () => {
  it('are said in Chinese, whatever becomes of the event', async () => {
    let looks = 0;
    const fails = (error: () => Error) => () => Promise.reject(error());
    rig = await WorkerRig.open({
      names: { strict_thing: 'Strict', change_contact: 'Member' },
      machines: { change_contact: memberMachine, sys_approval_change: approvalMachine },
      handlers: {
        strict_thing: ({ attempt }) =>
          attempt < 3
            ? Promise.reject(Object.assign(new Error('no, not yet'), { code: 'HANDLER_SAYS' }))
            : Promise.resolve(),
        hopeless: fails(() => new UnrecoverableError('never', { code: 'HANDLER_SAYS' })),
        silent: fails(() => Object.assign(new Error(''), { code: 'HANDLER_SAYS' })),
        slow: () => new Promise(() => undefined),
      },
      entityTypes: [
        defineEntityType({ name: 'timed', events: ['timed'], entityKey: () => 'a', deadlineMs: 20_000 }),
        defineEntityType({
          ...{ name: 'torn', events: ['torn'] },
          // The gateway could tell it, the worker cannot.
          entityKey: () => {
            looks += 1;
            if (looks > 1) throw new Error('torn');
            return 'a';
          },
        }),
      ],
      worker: { retryPolicy: { delaysMs: [1_000, 2_000, 3_000] } },
    });
    const { operator, pauses } = rig;
    const second = Math.floor(rig.clock.now() / 1_000);
    const of = (event: string, at = second) => thingXml('latest_thing', 'a', at).replace('latest_thing', event);
    const killed = rig.delivery(of('killed'));
    await rig.leaveUnfinishedStart(killed);
    const [first, behind] = [1, 2].map((rank) => rig!.delivery(thingXml('strict_thing', 'a', second, { rank })));
    const deliveries = [
      ...[killed, first!, behind!, rig.foreign('{}'), rig.foreign('not a message'), rig.delivery('<xml>')],
      ...['hopeless', 'silent', 'torn', 'latest_thing'].map((event) => rig!.delivery(of(event))),
      ...[rig.delivery(of('timed', second - 100)), rig.delivery(of('latest_thing', second - 5))],
      // A rename that comes late and still moves another member; a time ahead; an illegal move, an unknown status.
      rig.delivery(memberXml('create_user', 'u', second)),
      rig.delivery(memberXml('update_user', 'u', second - 9, '<NewUserID>v</NewUserID>')),
      rig.delivery(memberXml('update_user', 'w', second + 9_000)),
      ...[2, 1, 5].map((status, at) => rig!.delivery(approvalXml('1', status, second + at))),
    ];
    for (const delivery of deliveries) await rig.consume(delivery);
    await rig.consume(rig.again(first!));
    await rig.consume(rig.delivery(of('slow')));
    await rig.put(rig.delivery(of('exhausted')), { status: 'RETRY', attempt: 9, dueAt: rig.clock.now() });
    await rig.retryFor(300_000);
    const dead = (await rig.rows()).filter(({ status }) => status === 'DEAD');
    const acts = ACTIONS.flatMap((action) =>
      ['', 'as: agreed,\nwith all of them'].map((why) => [action, why] as const),
    );
    for (const [at, { id, generation }] of dead.entries()) {
      const [action, reason] = acts[at % acts.length]!;
      const by = { actor: 'kim', reason, ...(at < acts.length ? {} : { jobId: 7 }) };
      const seen = [
        { id, generation },
        { id: 0, generation },
        { id, generation: generation + 1 },
      ];
      // Twice: the second one is told that it came too late.
      for (const item of [seen, seen].flat()) {
        for (const result of await operator.run(action, [item], by)) checkSaid(result.reason);
      }
    }
    for (const { id, generation } of await rig.rows()) {
      for (const result of await operator.run('redrive', [{ id, generation }], { actor: 'kim', reason: '' }))
        checkSaid(result.reason);
    }
    await pauses.pause('Strict', '', { actor: 'kim', address: '' });
    const paused = rig.delivery(thingXml('strict_thing', 'p', second));
    await rig.consume(paused);
    await rig.drive(rig.deadLetters.consume([rig.delivery(of('elsewhere'))]));
    await rig.retryPass();

    const { reasons, messages } = await written();
    for (const reason of reasons) checkSaid(reason);
    for (const message of messages) checkSaid(message, ['message']);
  });
});

describe('what decides', () => {
  const type = defineEntityType({
    ...{ name: 'thing', events: ['thing'], entityKey: () => 'a', deadlineMs: 9_000_000 },
    rank: ({ fields }) => Number(fields['Rank']),
    ambiguous: (rank, lastRank) => Math.abs(rank - lastRank) > 2,
  });
  const rereads: Reread[] = [
    { kind: 'off' },
    { kind: 'ask' },
    ...(['present', 'absent'] as const).map((finding) => ({ kind: 'told' as const, version: 3, finding })),
  ];
  const machines = [null, ...BUILT_IN_MACHINES];

  function* circumstances() {
    for (const machine of machines)
      for (const state of machine?.states ?? [''])
        for (const changeType of machine?.triggers ?? [null])
          for (const createTime of [null, 1_000, 9_999, 10_000, 10_001, 99_999])
            for (const rank of [0, 3, 6]) {
              const snapshot: EntitySnapshot =
                state === machine?.initial
                  ? UNSEEN
                  : { ...UNSEEN, version: 3, state, lastEventTime: 10_000, lastRank: 3 };
              const fields = { Rank: String(rank), ApprovalInfo: { SpStatus: String(rank + 1) } };
              const event: WecomEvent = {
                ...{ corpId: 'ww', eventType: 'thing', msgId: null, createTime, fields },
                changeType,
              };
              yield { machine, snapshot, event };
            }
  }

  it('gives no reason that has no Chinese', () => {
    for (const { machine, snapshot, event } of circumstances()) {
      for (const reread of rereads) {
        const at = { nowMs: 10_020_000, receivedAtMs: 10_010_000, reread, otherRank: null };
        checkSaid(decide(snapshot, event, type, machine, at).reason);
      }
    }
  });

  it('records what no handler takes with a reason that has Chinese', () => {
    const item = { origin: { kind: 'message' }, lease: {}, entity: null, event: null, defect: null, handler: null };
    const [entities, lines] = [new Map(), new Map()];
    const limits = { retryPolicy: { delaysMs: [] }, rereadPatienceMs: 0 };
    const items = [item as unknown as LeasedItem];
    const { planned } = planGroup({
      ...{ items, entities, lines, limits, now: 0, unfinishedRetryAt: 0, paused: new Set<string>() },
    });
    for (const { reason } of planned) checkSaid(reason);
  });

  it('forecasts none that has no Chinese', () => {
    const kinds = new Set<string>();
    const entity = { type, ref: {} as never, key: 'app/ww/thing/a', others: [] };
    const rowOf = (status: EventRow['status']) =>
      ({ status, generation: 1, entityKey: entity.key, receivedAt: 10_010_000 }) as EventRow;
    const plain = { defect: null, entity, handler: 'Thing', isPaused: false, before: { waiting: 0 } };
    for (const { machine, snapshot, event } of circumstances()) {
      const input = {
        ...plain,
        machine,
        snapshot,
        event,
        row: rowOf('DEAD'),
        seen: { generation: 1 },
        now: 10_020_000,
      };
      const others: Partial<ForecastInput>[] = [
        ...[{}, { row: null }, { seen: { generation: 0 } }, { event: null }, { event: null, defect: 'not text' }],
        ...[{ entity: null }, { handler: null }, { isPaused: true }, { before: { waiting: 2 } }],
        ...STATUSES.flatMap((status) => ACTIONS.map((action) => ({ row: rowOf(status), action }))),
      ];
      // The machine has no part in the rest.
      for (const other of event.createTime === 10_001 ? others : [{}]) {
        const told = forecast({ action: 'redrive', ...input, ...other }).forecast;
        kinds.add(told.kind);
        if (told.reason !== other.defect) checkSaid(told.reason);
      }
    }
    expect([...kinds].sort()).toEqual([...FORECASTS].sort());
  });

  it('reads no text, and no record, that it could not say in Chinese what is wrong with', () => {
    const key = 'a'.repeat(64);
    const message = {
      ...{ v: 1, eventKey: key, app: 'app', corpId: 'ww', eventType: 'thing', plaintext: '<xml/>', changeType: null },
      ...{ entityKey: null, msgId: null, payloadKeyId: null, trace: null, createTime: 1, gateway: { receivedAt: 1 } },
    };
    const wrong = [{}, { eventKey: 'a' }, { eventType: '' }, { createTime: 'x' }, { gateway: null }, { app: '\ud800' }];
    const fields = Object.keys(message).map((field) => ({ [field]: {} }));
    for (const body of ['', '[]', '{', ...[...wrong, ...fields].map((one) => JSON.stringify({ ...message, ...one }))]) {
      const read = decodeMessage(body);
      if (read.kind === 'foreign') checkSaid(`not a message of this service: ${read.reason}`, ['message']);
    }
    for (const error of [Object.create(null), { toString: null }]) {
      checkSaid(describeFailure(error).message, ['message']);
    }
  });
});

it('each sentence of a decision is met by these', () => {
  // Two workers wrote one row at once, and one of them lost it again.
  const never = ['a delivery of an event that is known already'];
  const sentences = ['reason', 'condition', 'death', 'foreign'].flatMap((group) => Object.keys(groups[group] ?? {}));
  expect(sentences.filter((sentence) => !met.has(sentence))).toEqual(never);
});
