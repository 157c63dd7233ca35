import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BUILT_IN_ROWS } from '../../src/handlers/handlers.module.js';
import { ApprovalHandler } from '../../src/handlers/approval/approval.handler.js';
import { approvalMachine } from '../../src/handlers/approval/approval-machine.js';
import { CustomerGroupHandler } from '../../src/handlers/customer-group/customer-group.handler.js';
import { customerGroupMachine } from '../../src/handlers/customer-group/customer-group-machine.js';
import { CustomerRelationHandler } from '../../src/handlers/customer-relation/customer-relation.handler.js';
import { customerRelationMachine } from '../../src/handlers/customer-relation/customer-relation-machine.js';
import { CustomerTagHandler } from '../../src/handlers/customer-tag/customer-tag.handler.js';
import { customerTagMachine } from '../../src/handlers/customer-tag/customer-tag-machine.js';
import { MemberHandler } from '../../src/handlers/member/member.handler.js';
import { memberMachine } from '../../src/handlers/member/member-machine.js';
import type { WecomHandler } from '../../src/handlers/wecom-handler.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { Gate } from '../support/gate.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { MemoryWecomApi } from '../support/memory-wecom-api.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';
import { deliveryOf, MysqlWorker, type HandlersOfTest } from '../support/mysql-worker.js';
import type { PlainHandle } from '../support/plain-handlers.js';
import { until } from '../support/until.js';
import { approvalXml, customerXml, groupXml, memberXml, tagXml } from '../support/texts.js';

const noApi = new MemoryWecomApi([]);
const HANDLERS: Readonly<Record<string, WecomHandler>> = {
  sys_approval_change: new ApprovalHandler(),
  change_external_contact: new CustomerRelationHandler(noApi),
  change_external_chat: new CustomerGroupHandler(),
  change_contact: new MemberHandler(noApi),
  change_external_tag: new CustomerTagHandler(),
};
const MACHINES = {
  sys_approval_change: approvalMachine,
  change_external_contact: customerRelationMachine,
  change_external_chat: customerGroupMachine,
  change_contact: memberMachine,
  change_external_tag: customerTagMachine,
};
const TABLES = ['approval_order', 'customer_relation', 'customer_group', 'customer_group_member', 'member'];

describeWithDatabases('the built-in handlers', (start) => {
  let server: DatabaseServer;
  let database: MysqlDatabase;
  const workers: MysqlWorker[] = [];
  beforeAll(async () => {
    server = await start();
    const schema = { migrations: MIGRATIONS, entities: BUILT_IN_ROWS };
    database = await openMysqlDatabase(server, new SystemClock(), schema, { poolMax: 12 });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });
  beforeEach(async () => {
    for (const table of [...TABLES, 'customer_tag', 'event_log', 'event_history', 'saga', 'entity_change', 'outbox'])
      await database.query(`DELETE FROM ${table}`);
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });

  const handleBuiltIn: PlainHandle = async (context, event) => HANDLERS[event.eventType]?.handle(event, context);
  const worker = (handle: HandlersOfTest = HANDLERS): MysqlWorker => {
    const made = new MysqlWorker(database.unitOfWork, handle, undefined, MACHINES);
    workers.push(made);
    return made;
  };
  // Not INNODB_TRX: whoever asks it more often than every 100 ms gets the same answer for ever.
  const waitingForLocks = async (): Promise<number> => {
    const sql = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'";
    return Number((await database.query<{ Value: string }>(sql))[0]?.Value);
  };
  const statuses = async (): Promise<string[]> =>
    (await database.query<{ status: string }>('SELECT status FROM event_log ORDER BY id')).map(({ status }) => status);

  it('keep an approval, a relation and a tag from their first event on', async () => {
    await worker().consume(
      ...[approvalXml('A', 1, 1), approvalXml('A', 2, 2)].map(deliveryOf),
      ...[customerXml('add_external_contact', 'c', 1), customerXml('del_follow_user', 'c', 2)].map(deliveryOf),
      ...['create', 'shuffle'].map((kind, at) => deliveryOf(tagXml(kind, '<Id>t</Id><TagType>tag</TagType>', at + 1))),
    );
    expect(await statuses()).toEqual(Array(6).fill('APPLIED'));
    expect(await database.query('SELECT status, effect_count FROM approval_order')).toEqual([
      { status: 'PASSED', effect_count: 2 },
    ]);
    expect(await database.query('SELECT status, effect_count FROM customer_relation')).toEqual([
      { status: 'DELETED_BY_CUSTOMER', effect_count: 2 },
    ]);
    expect(await database.query('SELECT status, shuffle_count, effect_count FROM customer_tag')).toEqual([
      { status: 'EXISTS', shuffle_count: 1, effect_count: 2 },
    ]);
  });

  it('take a batch over a hundred objects in a few statements', async () => {
    const asked = async (): Promise<number> => {
      const sql = "SHOW GLOBAL STATUS WHERE Variable_name = 'Questions'";
      return Number((await database.query<{ Value: string }>(sql))[0]?.Value);
    };
    const batch = (second: number, status: number) =>
      Array.from({ length: 50 }, (_, n) => [
        deliveryOf(approvalXml(`A${n}`, status, second)),
        deliveryOf(customerXml(second === 1 ? 'add_external_contact' : 'del_follow_user', `c${n}`, second)),
      ]).flat();
    const consumer = worker();
    const counts: number[] = [];
    for (const events of [batch(1, 1), batch(2, 2)]) {
      const before = await asked();
      await consumer.consume(...events);
      counts.push((await asked()) - before);
    }
    // New objects, then known ones. What the count itself asks, and a ping of the pool now and then, are among them.
    expect(counts.every((count) => count < 40)).toBe(true);
    expect(await statuses()).toEqual(Array(200).fill('APPLIED'));
    const counted = 'status, effect_count, COUNT(*) AS total';
    expect(await database.query(`SELECT ${counted} FROM approval_order GROUP BY status, effect_count`)).toEqual([
      { status: 'PASSED', effect_count: 2, total: 50 },
    ]);
    expect(await database.query(`SELECT ${counted} FROM customer_relation GROUP BY status, effect_count`)).toEqual([
      { status: 'DELETED_BY_CUSTOMER', effect_count: 2, total: 50 },
    ]);
  });

  it('keep a group and its members, told apart by case, each once', async () => {
    const change = (detail: string, ids: string[], from: string, to: string): string =>
      `<UpdateDetail>${detail}</UpdateDetail><LastMemVer>${from}</LastMemVer><CurMemVer>${to}</CurMemVer>` +
      `<MemChangeList>${ids.map((id) => `<Item>${id}</Item>`).join('')}</MemChangeList>`;
    await worker().consume(
      deliveryOf(groupXml('create', 'g', 1)),
      deliveryOf(groupXml('update', 'g', 2, change('add_member', ['m', 'M', 'n', 'n'], 'v0', 'v1'))),
      deliveryOf(groupXml('update', 'g', 3, change('add_member', ['m', 'o'], 'v1', 'v2'))),
      deliveryOf(groupXml('update', 'g', 4, change('del_member', ['M'], 'lost', 'v4'))),
    );
    expect(await statuses()).toEqual(Array(4).fill('APPLIED'));
    const members = await database.query<{ member_id: string; joined_at: number }>(
      'SELECT member_id, joined_at FROM customer_group_member ORDER BY member_id',
    );
    expect(members.map((row) => [row.member_id, Number(row.joined_at)])).toEqual([
      ...[
        ['m', 2],
        ['n', 2],
        ['o', 3],
      ],
    ]);
    expect(await database.query('SELECT member_version, members_incomplete, effect_count FROM customer_group')).toEqual(
      [{ member_version: 'v4', members_incomplete: 1, effect_count: 4 }],
    );
  });

  it('carry a renamed member on, while another worker has events of the new id', async () => {
    const text = (kind: string, id: string, at: number, extra = ''): string => memberXml(kind, id, at, extra);
    await worker().consume(deliveryOf(text('create_user', 'a', 1, '<Name>Li</Name>')));
    await Promise.all([
      worker().consume(deliveryOf(text('update_user', 'a', 2, '<NewUserID>b</NewUserID>'))),
      worker().consume(deliveryOf(text('update_user', 'b', 3, '<Status>1</Status>'))),
    ]);
    expect(await statuses()).toEqual(Array(3).fill('APPLIED'));
    expect(
      await database.query('SELECT user_id, status, name, renamed_to, wecom_status FROM member ORDER BY user_id'),
    ).toEqual([
      { user_id: 'a', status: 'RENAMED', name: 'Li', renamed_to: 'b', wecom_status: null },
      { user_id: 'b', status: 'PRESENT', name: 'Li', renamed_to: null, wecom_status: '1' },
    ]);
  });

  it('meet no second INSERT when two workers have the first events of one order', async () => {
    const gate = new Gate();
    const left = worker(async (context, event) => {
      await gate.pass();
      await handleBuiltIn(context, event);
    });
    const right = worker();
    const first = left.consume(deliveryOf(approvalXml('A', 1, 5)));
    await gate.arrived();
    let isDone = false;
    const second = right.consume(deliveryOf(approvalXml('A', 2, 5))).then(() => void (isDone = true));
    // Either the second waits for the first one's entity row, or it went past it, and the first is about to fail.
    await until(async () => isDone || (await waitingForLocks()) > 0);
    gate.open();
    await Promise.all([first, second]);
    expect(await statuses()).toEqual(['APPLIED', 'APPLIED']);
    expect(await database.query('SELECT status, effect_count FROM approval_order')).toEqual([
      { status: 'PASSED', effect_count: 2 },
    ]);
    expect(right.unitOfWork.conflictCount).toBe(1);
  });
});
