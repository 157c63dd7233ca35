import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Tx } from '../../src/database/unit-of-work.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { describeWithMariaDb, startMariaDb, type MariaDbServer } from '../support/mariadb-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';

const note = ({ manager }: Tx, text: string): Promise<unknown> =>
  manager.query("INSERT INTO note (event_key, text) VALUES ('k', ?)", [text]);

describeWithMariaDb('a unit of work on MariaDB', () => {
  let server: MariaDbServer;
  let database: MysqlDatabase;
  beforeAll(async () => {
    server = await startMariaDb();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    database = await openMysqlDatabase(server, new SystemClock());
  });
  afterEach(() => database.close());

  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.unitOfWork.write(work);
  const notes = async (): Promise<string[]> =>
    (await database.query<{ text: string }>('SELECT text FROM note ORDER BY id')).map(({ text }) => text);

  it('commits what the work wrote, and rolls back with its error', async () => {
    await write((tx) => note(tx, 'one'));
    const failed = write(async (tx) => {
      await note(tx, 'two');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual(['one']);
  });
});
