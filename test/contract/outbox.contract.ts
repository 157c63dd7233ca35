import { TypeormOutbox } from '../../src/saga/typeorm-outbox.js';
import { describeOutbox } from './outbox.suite.js';
import { sqliteHarness } from './store-harness.js';

describeOutbox(
  'TypeormOutbox on SQLite',
  sqliteHarness(() => new TypeormOutbox()),
);
