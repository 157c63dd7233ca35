import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { describeEventLog } from './event-log.suite.js';
import { sqliteHarness } from './store-harness.js';

describeEventLog(
  'SqliteEventLog',
  sqliteHarness(() => new SqliteEventLog('this-process')),
);
