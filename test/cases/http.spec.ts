import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, vi } from 'vitest';
import { MemoryIdempotencyStore } from '../../src/idempotency/embedded/memory-idempotency-store.js';
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { Transport } from '../../src/transport/transport.js';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { CreateTestEffect1796000900000, countingHandlers } from './counting-handlers.js';
import { ScenarioRunner, UnsupportedError, type Faults } from './scenario-runner.js';
import { INPUTS, scenarios, type Step } from './scenario.js';

const HANDLED = ['text', 'subscribe', 'unsubscribe', 'LOCATION', 'enter_agent', 'suite_ticket'];

describe('cases from the field over HTTP', () => {
  let gateway: GatewayInProcess;
  let runner: ScenarioRunner;

  beforeEach(async () => {
    gateway = await GatewayInProcess.start(
      { WECOM_APPS_FILE: join(INPUTS, 'profiles.json') },
      { handlers: countingHandlers(HANDLED), migrations: [CreateTestEffect1796000900000] },
    );
    runner = new ScenarioRunner(gateway, new EmbeddedFaults(gateway));
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    runner.close();
    await gateway.stop();
  });

  // What needs neither services nor faults of a handler; `npm run test:cases` runs all of them over real processes.
  for (const scenario of scenarios(['url-', 'body-', 'same-', 'xml-', 'order-01', 'order-02'])) {
    it(`${scenario.id}: ${scenario.title}`, async () => {
      await runner.run(scenario);
    }, 60_000);
  }
});

/** `broker.slow`: publishes are stored at once and acknowledged late. `redis.flushall`: the guard loses all keys. */
class EmbeddedFaults implements Faults {
  constructor(private readonly gateway: GatewayInProcess) {}

  inject(step: Step): void {
    if (step.what === 'broker.normal') {
      vi.restoreAllMocks();
      return;
    }
    if (step.what === 'redis.flushall') {
      // A guard that has forgotten everything: the state of a new one takes the place of the old.
      const fresh = new MemoryIdempotencyStore(new SystemClock(), { keysMax: 1_000 });
      Object.assign(this.gateway.gateway.app.get(IdempotencyStore), fresh);
      return;
    }
    if (step.what !== 'broker.slow') throw new UnsupportedError(`fault ${step.what as string}`);
    const transport = this.gateway.gateway.app.get(Transport);
    const publish = transport.publish.bind(transport);
    vi.spyOn(transport, 'publish').mockImplementation(async (topic, messages) => {
      await publish(topic, messages);
      await new Promise((resolve) => setTimeout(resolve, Number(step.ackDelayMs)).unref());
    });
  }
}
