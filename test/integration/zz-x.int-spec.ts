import { CreateTables1796000000000 } from '../../migrations/1796000000000-create-tables.js';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { it } from 'vitest';
import { startMySql } from '../support/database-server.js';
import { openMysqlDatabase } from '../support/mysql-database.js';
import { inLine } from '../contract/event-log.suite.js';

it('explains', async () => {
  const server = await startMySql();
  const db = await openMysqlDatabase(server, new SystemClock(), { migrations: [CreateTables1796000000000] }, { timeoutMs: 60000 });
  const log = new MysqlEventLog('x');
  await db.unitOfWork.write((tx) => log.insert(tx, [inLine('dead', 0, 'DEAD', null)]));
  for (let from = 1; from <= 4500; from += 500)
    await db.unitOfWork.write((tx) => log.insert(tx, Array.from({ length: 500 }, (_, i) => inLine(`k${from + i}`, from + i, 'PARKED', 1))));
  const ids = (await db.query<{ id: number }>('select id from event_log where due_at<=10 order by due_at,id limit 200')).map((r) => r.id).join(',');
  const q = `SELECT own.id FROM event_log own WHERE own.id IN (${ids}) AND own.lane_seq > (
         SELECT first.lane_seq FROM event_log first FORCE INDEX (ix_event_log_waiting_key_lane_seq)
         WHERE first.waiting_key = own.entity_key AND first.lane_seq IS NOT NULL ORDER BY first.lane_seq LIMIT 1)`;
  const show = async (sql: string) => { const t = Date.now(); const r = await db.query<any>('EXPLAIN ANALYZE ' + sql); console.log(Date.now() - t, Object.values(r[0])[0]); };
  await show(q);
  await show(q.replace('LIMIT 1)', 'LIMIT 1)').replace('first.lane_seq IS NOT NULL', '1=1').replace('SELECT first.lane_seq FROM', 'SELECT MIN(first.lane_seq) FROM').replace('ORDER BY first.lane_seq LIMIT 1', ''));
  await show(`SELECT own.id FROM event_log own JOIN LATERAL (SELECT first.lane_seq FROM event_log first FORCE INDEX (ix_event_log_waiting_key_lane_seq) WHERE first.waiting_key = own.entity_key AND first.lane_seq IS NOT NULL ORDER BY first.lane_seq LIMIT 1) f ON own.lane_seq > f.lane_seq WHERE own.id IN (${ids})`);
  await show(`SELECT 1 FROM event_log FORCE INDEX (ix_event_log_due_at) WHERE due_at <= 10 AND status IN ('RETRY','PARKED','REDRIVEN') LIMIT 1`);
  const t0 = Date.now(); console.log(await db.unitOfWork.read((tx) => log.hasDue(tx, 10)), Date.now() - t0);
  for (let i = 0; i < 8; i++) { const t = Date.now(); await db.unitOfWork.write((tx) => log.pick(tx, 10, 11, 10)); console.log('pick', Date.now() - t);
   const t1 = Date.now(); console.log(await db.unitOfWork.read((tx) => log.hasDue(tx, 10)), Date.now() - t1); }
  await db.close(); await server.stop();
}, 120000);
