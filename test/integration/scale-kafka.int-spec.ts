import { afterAll, beforeAll } from 'vitest';
import { describeWithDatabases } from '../support/database-server.js';
import { startSharedEngines, stopSharedEngines, type SharedEngines } from '../support/engine-set.js';
import { describeWithKafka } from '../support/kafka-server.js';
import { describeWithRedis } from '../support/redis-server.js';
import { scaleSuite } from '../support/scale-suite.js';

const START_LIMIT_MS = 360_000;

await describeWithKafka('the service as processes on Kafka', () => {
  describeWithRedis('with Redis', () => {
    let shared: SharedEngines | null = null;

    beforeAll(async () => {
      shared = await startSharedEngines({ transport: 'kafka' });
    }, START_LIMIT_MS);

    afterAll(() => stopSharedEngines(shared), START_LIMIT_MS);

    describeWithDatabases('two gateways, three workers and an admin', (start, engine) =>
      scaleSuite(() => shared!, start, engine),
    );
  });
});
