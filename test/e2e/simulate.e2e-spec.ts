import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { faultsOf, NO_FAULTS, runSimulator } from '../support/simulator-run.js';
import { until } from '../support/until.js';

// By hand: SIMULATE_COUNT=20000 npm run test:e2e -- simulate
const COUNT = Number(process.env['SIMULATE_COUNT'] ?? 1_500);
const KILLS = Number(process.env['SIMULATE_KILLS'] ?? 2);
const PAUSE_MS = Number(process.env['SIMULATE_PAUSE_MS'] ?? 700);

// A row in a killed worker's hand shows itself again when its lease would have ended.
const SETTINGS = { RETRY_DELAYS: '200,400,800', LEASE_TTL_MS: '3000', LEASE_MAX_LIFE_MS: '10000' };

describe('npm run simulate', () => {
  let dataDir: string;
  let gateway: GatewayProcess;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-simulate-'));
    gateway = await GatewayProcess.start(dataDir, { ...SETTINGS });
  });

  afterEach(async () => {
    await gateway.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(
    'ends clean although the service is killed and restarted on the way',
    async () => {
      const targets = ['--target', gateway.callbackBase, '--admin', gateway.adminBase, '--data', dataDir];
      const load = [
        '--count',
        String(COUNT),
        '--duplicates',
        '3',
        '--shuffle',
        '--retry-after',
        '500',
        '--retries',
        '60',
      ];
      const simulation = runSimulator([...targets, ...load]);
      // The simulator looks for the service first: a kill before it has begun would end it instead of testing anything.
      await until(
        async () => Number((await gateway.admin('summary')).json.lastChangeId) > 0,
        60_000,
        'the load begins',
      );
      for (let kill = 0; kill < KILLS; kill += 1) gateway = await killedAndRestarted(gateway);
      const ended = await simulation;
      expect(faultsOf(ended), ended.output).toEqual(NO_FAULTS);
      expect(ended.result).toMatchObject({ events: COUNT, answeredEvents: COUNT });
      expect(ended.code).toBe(0);
    },
    Math.max(120_000, COUNT * 60),
  );
});

/** A while of load, then `kill -9` and the same service again: same data, same ports. */
async function killedAndRestarted(gateway: GatewayProcess): Promise<GatewayProcess> {
  await new Promise((done) => setTimeout(done, PAUSE_MS));
  await gateway.kill();
  const ports = { PORT: new URL(gateway.callbackBase).port, ADMIN_PORT: new URL(gateway.adminBase).port };
  return GatewayProcess.start(gateway.dataDir, { ...ports, ...SETTINGS });
}
