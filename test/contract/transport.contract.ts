import { sqliteFeatures, SqliteHarness } from './transport.sqlite-harness.js';
import { describeTransport } from './transport.suite.js';

describeTransport('sqlite', sqliteFeatures, () => new SqliteHarness());
