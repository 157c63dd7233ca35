import { TypeormSagaStore } from '../../src/saga/typeorm-saga-store.js';
import { describeSagaStore } from './saga-store.suite.js';
import { sqliteHarness } from './store-harness.js';

describeSagaStore(
  'TypeormSagaStore on SQLite',
  sqliteHarness(() => new TypeormSagaStore()),
);
