import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBusinessDatabase, type BusinessDatabase } from '../../../test/support/business-database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { SqliteEventLog } from './sqlite-event-log.js';

const COLUMNS = `corp_id, event_type, msg_id_or_hash, app, entity_key, status, generation, attempt, lane_seq, due_at,
  plaintext, received_at, facts, decided_at`;

let database: BusinessDatabase;
const log = new SqliteEventLog('this-process');

beforeEach(async () => {
  database = await openBusinessDatabase(new ManualClock());
});

afterEach(() => database.close());

/** A dead letter and `count` rows behind it, all due although it is not their turn. */
async function fillLine(count: number): Promise<void> {
  await database.unitOfWork.write(({ manager }) =>
    manager.query(`
      WITH RECURSIVE place(seq) AS (SELECT 0 UNION ALL SELECT seq + 1 FROM place WHERE seq < ${count})
      INSERT INTO event_log (${COLUMNS})
      SELECT 'ww1', 'thing', seq, 'app', 'e', iif(seq = 0, 'DEAD', 'PARKED'), 0, 0, seq, iif(seq = 0, NULL, 1), '', 0, '{}', 0
      FROM place`),
  );
}

async function dueCount(): Promise<number | undefined> {
  const rows = await database.query<{ total: number }>('SELECT COUNT(*) AS total FROM event_log WHERE due_at <= 10');
  return rows[0]?.total;
}

describe('SqliteEventLog', () => {
  it('bounds what one poll looks at, and comes to an end of it', async () => {
    await fillLine(4_500);
    const left: (number | undefined)[] = [];
    for (let polls = 0; polls < 3; polls += 1) {
      await database.unitOfWork.write((tx) => log.pick(tx, 10, 1_000, 50));
      left.push(await dueCount());
    }
    expect(left).toEqual([2_500, 500, 0]);
    expect(await database.unitOfWork.read((tx) => log.hasDue(tx, 10))).toBe(false);
  });
});
