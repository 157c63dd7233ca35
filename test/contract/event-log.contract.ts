import { TypeormEventLog } from '../../src/event-log/typeorm-event-log.js';
import { describeEventLog } from './event-log.suite.js';
import { sqliteHarness } from './store-harness.js';

describeEventLog(
  'TypeormEventLog on SQLite',
  sqliteHarness(() => new TypeormEventLog('this-process')),
);
