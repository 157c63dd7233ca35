import { SqliteOutbox } from '../../src/saga/sqlite/sqlite-outbox.js';
import { describeOutbox } from './outbox.suite.js';
import { sqliteHarness } from './store-harness.js';

describeOutbox(
  'SqliteOutbox',
  sqliteHarness(() => new SqliteOutbox()),
);
