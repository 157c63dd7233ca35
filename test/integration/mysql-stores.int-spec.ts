import { afterAll, beforeAll } from 'vitest';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { MysqlSagaStore } from '../../src/saga/mysql/mysql-saga-store.js';
import { describeEventLog } from '../contract/event-log.suite.js';
import { describeOutbox } from '../contract/outbox.suite.js';
import { describeSagaStore } from '../contract/saga-store.suite.js';
import { MysqlHarness } from '../contract/store-harness.js';
import { describeWithMariaDb, startMariaDb, type MariaDbServer } from '../support/mariadb-server.js';

describeWithMariaDb('the stores on MariaDB', () => {
  let server: MariaDbServer;
  const logs = new MysqlHarness(
    () => server,
    () => new MysqlEventLog('this-process'),
  );
  const sagas = new MysqlHarness(
    () => server,
    (unitOfWork) => new MysqlSagaStore(unitOfWork),
  );
  const outboxes = new MysqlHarness(
    () => server,
    () => SqlOutbox.forMysql(),
  );
  beforeAll(async () => {
    server = await startMariaDb();
  });
  afterAll(async () => {
    for (const harness of [logs, sagas, outboxes]) await harness.end();
    await server.stop();
  });

  describeEventLog('MysqlEventLog', logs);
  describeSagaStore('MysqlSagaStore', sagas);
  describeOutbox('SqlOutbox on MariaDB', outboxes);
});
