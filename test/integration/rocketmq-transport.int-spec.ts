import { afterAll, beforeAll } from 'vitest';
import { rocketMqFeatures, RocketMqHarness } from '../contract/transport.rocketmq-harness.js';
import { describeTransport, transportScenarios } from '../contract/transport.suite.js';
import { describeWithRocketMq, ROCKETMQ_START_LIMIT_MS, RocketMqServer } from '../support/rocketmq-server.js';

/** The port's promise on a real broker. */
describeWithRocketMq('the transport on a real RocketMQ', () => {
  // One for each scenario, so that none finds messages of another.
  const namespaces = transportScenarios.map((_, index) => `s${index}`);
  let server: RocketMqServer;
  let used = 0;

  beforeAll(async () => {
    server = await RocketMqServer.start({
      topics: namespaces.flatMap((namespace) => [`${namespace}%contract-events`, `${namespace}%contract-events-dlq`]),
      groups: namespaces.flatMap((namespace) => [`${namespace}%contract`, `${namespace}%other`]),
    });
  }, ROCKETMQ_START_LIMIT_MS);

  afterAll(() => server.stop());

  describeTransport('rocketmq', rocketMqFeatures, () => new RocketMqHarness(server, namespaces[used++]!));
});
