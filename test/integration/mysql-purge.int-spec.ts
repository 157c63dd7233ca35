import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryClusterLock } from '../../src/cluster/memory-cluster-lock.js';
import { AgedRows } from '../../src/event-log/aged-rows.js';
import type { EventStatus } from '../../src/event-log/event-log.js';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { Log } from '../../src/observability/log.js';
import { Metrics } from '../../src/observability/metrics.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { Purge } from '../../src/worker/purge.js';
import { PurgeReport } from '../../src/worker/purge-report.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';

const DAY_MS = 86_400_000;
const AGES = { event_log: 14 * DAY_MS, event_history: 14 * DAY_MS, entity_change: 30 * DAY_MS, audit: 60 * DAY_MS };
const NOW = Date.now();

describeWithDatabases('the purge', (start) => {
  const clock = new SystemClock();
  const log = new MysqlEventLog('test');
  let server: DatabaseServer;
  let database: MysqlDatabase;

  beforeAll(async () => {
    server = await start();
    database = await openMysqlDatabase(server, clock, { migrations: MIGRATIONS });
  }, 60_000);

  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  async function put(name: string, count: number, status: EventStatus, decidedAt: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => ({
      ...{ corpId: 'c', eventType: 't', eventKey: `${name}${n}`, app: 'a', changeType: null, entityKey: null },
      ...{ msgId: null, createTime: null, plaintext: '<xml/>', receivedAt: decidedAt, facts: '{}', status, attempt: 1 },
      ...{ laneSeq: null, dueAt: null, errorCode: null, errorMessage: null, decidedAt },
      wecomIds: [{ name: 'SpNo' as const, value: `${name}${n}` }],
    }));
    await database.unitOfWork.write(async (tx) => {
      await log.insert(tx, rows);
      const entries = rows.map(({ eventKey }) => ({ eventKey, at: decidedAt, actor: 'worker', decision: status }));
      await log.record(
        tx,
        entries.map((entry) => ({ ...entry, reason: '', generation: 0, attempt: 1 })),
      );
    });
  }

  const purge = (): Purge =>
    new Purge(
      database.unitOfWork,
      new AgedRows(),
      new MemoryClusterLock(),
      clock,
      new PurgeReport(new Metrics(), new Log(pino({ level: 'silent' }))),
      {
        ...{ agesMs: AGES, everyMs: DAY_MS, stepRowsMax: 40, pauseMsMin: 1 },
      },
    );

  it('takes old outcomes with all that belongs to them, beside a second purge and events that come in', async () => {
    await put('old', 300, 'APPLIED', NOW - 15 * DAY_MS);
    await put('dead', 20, 'DEAD', NOW - 400 * DAY_MS);
    await put('new', 50, 'APPLIED', NOW - 13 * DAY_MS);
    const incoming = Array.from({ length: 20 }, (_, n) => put(`now${n}-`, 5, 'APPLIED', NOW));
    await Promise.all([purge().pass(), purge().pass(), ...incoming]);

    const count = async (table: string, like: string, column = 'event_key'): Promise<number> =>
      Number(
        (await database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${column} LIKE ?`, [like]))[0]
          ?.n,
      );
    expect(await count('event_log', 'old%', 'msg_id_or_hash')).toBe(0);
    expect([await count('event_history', 'old%'), await count('wecom_id', 'old%')]).toEqual([0, 0]);
    // Why an event waits is asked for as long as it waits.
    expect([await count('event_history', 'dead%'), await count('wecom_id', 'dead%')]).toEqual([20, 20]);
    expect(await count('event_log', 'now%', 'msg_id_or_hash')).toBe(100);
    expect(await count('event_log', 'new%', 'msg_id_or_hash')).toBe(50);
    expect(await count('event_log', 'dead%', 'msg_id_or_hash')).toBe(20);
  });
});
