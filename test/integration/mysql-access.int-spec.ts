import { afterAll, beforeAll } from 'vitest';
import type { AccessHarness } from '../contract/access.suite.js';
import { describeAccess } from '../contract/access.suite.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';

const TABLES = ['admin_user', 'admin_session', 'admin_token', 'admin_login_attempt', 'admin_setup', 'audit'];

describeWithDatabases('access', (start) => {
  let server: DatabaseServer;
  let database: MysqlDatabase;

  beforeAll(async () => {
    server = await start();
    // A connection for each of the logins that come at once.
    database = await openMysqlDatabase(server, new SystemClock(), { migrations: MIGRATIONS }, { poolMax: 16 });
  });
  afterAll(async () => {
    await database?.close();
    await server?.stop();
  });

  const harness: AccessHarness = {
    make: async () => {
      for (const table of TABLES) await database.query(`DELETE FROM ${table}`);
      return database.unitOfWork;
    },
    close: async () => undefined,
  };
  describeAccess('access on MySQL', harness);
});
