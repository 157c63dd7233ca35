import { SqliteSagaStore } from '../../src/saga/sqlite/sqlite-saga-store.js';
import { describeSagaStore } from './saga-store.suite.js';
import { sqliteHarness } from './store-harness.js';

describeSagaStore(
  'SqliteSagaStore',
  sqliteHarness(() => new SqliteSagaStore()),
);
