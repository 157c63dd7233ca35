import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { describeOutbox } from './outbox.suite.js';
import { sqliteHarness } from './store-harness.js';

describeOutbox(
  'SqlOutbox on SQLite',
  sqliteHarness(() => SqlOutbox.forSqlite()),
);
