import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeMessage } from '../transport/message-codec.js';
import { DLQ_TOPIC, thingXml, WorkerRig } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
beforeEach(async () => {
  rig = await WorkerRig.open();
});
afterEach(() => rig.close());

/** A message with some fields changed; `undefined` leaves one out. */
function messageWith(fields: Record<string, unknown>): string {
  const { body } = rig.delivery(thingXml('strict_thing', 'a', 1));
  return JSON.stringify({ ...(JSON.parse(body) as object), ...fields });
}

describe('a record that is no message of this service', () => {
  const records: Record<string, () => string> = {
    null: () => 'null',
    'nothing at all': () => '',
    'half of an object': () => '{',
    'a text': () => '"x"',
    'a list': () => '[]',
    '900 kB of something': () => `<xml>${'错'.repeat(300_000)}</xml>`,
    'a number where text belongs': () => messageWith({ app: 7 }),
    'a message without its tenant': () => messageWith({ corpId: undefined }),
    'a message without its gateway': () => messageWith({ gateway: null }),
  };

  it.each(Object.entries(records))('is DEAD at once and blocks nothing: %s', async (_, body) => {
    const foreign = rig.foreign(body());
    const behind = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.consume(foreign, behind);
    const [dead, applied] = await rig.rows();
    expect(dead).toMatchObject({
      status: 'DEAD',
      errorCode: 'RECORD_FOREIGN',
      plaintext: body(),
      entityKey: null,
      laneSeq: null,
    });
    expect(applied).toMatchObject({ status: 'APPLIED' });
    expect([foreign.settledCount, behind.settledCount]).toEqual([1, 1]);
  });

  it('is one dead letter however often it comes, with one copy on the dead-letter topic', async () => {
    await rig.consume(rig.foreign('{'), rig.foreign('{'));
    await rig.consume(rig.foreign('{'));
    expect(await rig.rows()).toHaveLength(1);
    await rig.relay.pass();
    expect(rig.transport.published).toHaveLength(1);
    // Our own copy comes back to us, and its row settles it.
    const copy = rig.foreign(rig.transport.published[0]!.body);
    await rig.drive(rig.deadLetters.consume([copy]));
    expect(copy.settledCount).toBe(1);
    expect(await rig.rows()).toHaveLength(1);
    expect(await rig.count('outbox')).toBe(0);
  });
});

describe('a text that does not parse', () => {
  it('is DEAD with a copy on the dead-letter topic, and blocks nothing', async () => {
    const text = '<xml><ToUserName>wwtest</ToUserName><Event>strict_thing';
    const [broken, other] = [rig.delivery(text), rig.delivery(thingXml('strict_thing', 'a', 1))];
    await rig.consume(broken, other);
    expect(await rig.row(broken)).toMatchObject({
      status: 'DEAD',
      eventType: 'unparsed',
      errorCode: 'EVENT_UNPARSED',
      laneSeq: null,
    });
    expect(await rig.statuses(other)).toEqual(['APPLIED']);
    await rig.relay.pass();
    const [copy] = rig.transport.published;
    expect(copy).toMatchObject({ topic: DLQ_TOPIC, orderingKey: broken.eventKey });
    expect(decodeMessage(copy!.body)).toMatchObject({
      kind: 'message',
      message: { plaintext: text, eventKey: broken.eventKey },
    });
    expect(JSON.parse(copy!.body)).toMatchObject({ deadLetter: { code: 'EVENT_UNPARSED', generation: 0 } });
  });

  it('is DEAD again after a redrive, and is told again', async () => {
    const broken = rig.delivery('not xml, not json');
    await rig.consume(broken);
    await rig.operator.run('redrive', [(await rig.row(broken))!], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.row(broken)).toMatchObject({ status: 'DEAD', generation: 1, errorCode: 'EVENT_UNPARSED' });
    expect(await rig.count('outbox')).toBe(2);
  });
});

describe('a message of a newer version', () => {
  it('waits unsettled, and nothing of its ordering key overtakes it', async () => {
    const [newer, behind, other] = [
      rig.delivery(thingXml('strict_thing', 'a', 1)),
      rig.delivery(thingXml('strict_thing', 'a', 2)),
      rig.delivery(thingXml('strict_thing', 'b', 2)),
    ];
    Object.assign(newer, { body: JSON.stringify({ ...(JSON.parse(newer.body) as object), v: 2 }) });
    await rig.consume(newer, behind, other);
    expect([newer, behind, other].map(({ settledCount }) => settledCount)).toEqual([0, 0, 1]);
    expect(await rig.statuses(newer, behind, other)).toEqual([null, null, 'APPLIED']);
  });
});

describe('the dead-letter consumer', () => {
  it('keeps a message that has no row as DEAD, in its line, without putting a second record on its topic', async () => {
    const [found, behind] = [
      rig.delivery(thingXml('strict_thing', 'a', 1)),
      rig.delivery(thingXml('strict_thing', 'a', 2)),
    ];
    await rig.drive(rig.deadLetters.consume([found]));
    expect(await rig.row(found)).toMatchObject({ status: 'DEAD', errorCode: 'DEAD_LETTERED_ELSEWHERE', laneSeq: 1 });
    expect(found.settledCount).toBe(1);
    expect(await rig.count('outbox')).toBe(0);
    await rig.consume(behind);
    expect(await rig.statuses(behind)).toEqual(['PARKED']);
    expect(await rig.notes()).toEqual([]);
  });

  it('keeps what an event died of when its row is gone and only our copy is left', async () => {
    const told = { code: 'HANDLER_FAILED', reason: 'the contract changed', attempt: 4, generation: 1, at: 1 };
    const found = rig.delivery(thingXml('latest_thing', 'a', 1));
    Object.assign(found, { body: JSON.stringify({ ...(JSON.parse(found.body) as object), deadLetter: told }) });
    await rig.drive(rig.deadLetters.consume([found]));
    expect(await rig.row(found)).toMatchObject({
      status: 'DEAD',
      errorCode: 'HANDLER_FAILED',
      errorMessage: 'the contract changed',
    });
  });

  it.each([null, 'x', {}, { code: 7, reason: 'x' }, { code: '错', reason: 'x' }, { code: 'E', reason: '\ud800' }])(
    'takes no reason from %j, and keeps the message all the same',
    async (deadLetter) => {
      const found = rig.delivery(thingXml('latest_thing', 'a', 1));
      Object.assign(found, { body: JSON.stringify({ ...(JSON.parse(found.body) as object), deadLetter }) });
      await rig.drive(rig.deadLetters.consume([found]));
      expect(await rig.row(found)).toMatchObject({ status: 'DEAD', errorCode: 'DEAD_LETTERED_ELSEWHERE' });
    },
  );

  it.each(['APPLIED', 'RETRY', 'DEAD'] as const)('settles a message by its row: %s', async (status) => {
    const found = rig.delivery(thingXml('strict_thing', 'a', 1));
    const row = await rig.put(found, { status, attempt: 1, laneSeq: 1 });
    await rig.drive(rig.deadLetters.consume([found]));
    expect(await rig.row(found)).toEqual(row);
    expect(found.settledCount).toBe(1);
  });

  it('settles nothing while the database is away', async () => {
    const found = rig.delivery(thingXml('strict_thing', 'a', 1));
    rig.writes.isAway = true;
    await expect(rig.drive(rig.deadLetters.consume([found]))).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(found.isSettled).toBe(false);
  });
});
