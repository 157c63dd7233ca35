import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { describeWithMariaDb, startMariaDb, type MariaDbServer } from '../support/mariadb-server.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { faultsOf, NO_FAULTS, runSimulator, type SimulatorResult } from '../support/simulator-run.js';

const ROOT = resolve(import.meta.dirname, '../..');
const MIGRATE = join(ROOT, 'dist/src/migrate.js');
const COUNT = Number(process.env['CHAOS_COUNT'] ?? 20_000);
const FAULT_MS = Number(process.env['CHAOS_FAULT_MS'] ?? 20_000);
/** Load between two faults, so that each one finds work in hand. */
const BETWEEN_MS = FAULT_MS / 4;
// Deliveries a second: two and a half an event (--duplicates 3), spread over the faults and the time between them.
const RATE = Math.ceil((COUNT * 2.5 * 1_000) / (FAULT_MS * 4 + BETWEEN_MS * 5));

const SETTINGS = { RETRY_DELAYS: '200,400,800', LEASE_TTL_MS: '3000', LEASE_MAX_LIFE_MS: '10000' };
const APP = {
  token: 'ChaosToken',
  encodingAESKey: 'kWxPEV2UEDyxWpmPdKC3F4dgPDmOvfKX1HGnEUDS1aR',
  receiveId: 'wwchaos000000000001',
};

describeWithRedis('one process on Redis and MariaDB', () => {
  describeWithMariaDb('while its engines fail', () => {
    let dataDir: string;
    let redis: RedisServer;
    let mariadb: MariaDbServer;
    let gateway: GatewayProcess;

    beforeEach(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'wecom-chaos-'));
      [redis, mariadb] = await Promise.all([RedisServer.start(), startMariaDb()]);
      await writeFile(join(dataDir, 'apps.json'), JSON.stringify({ crm: APP }));
      const env = {
        ...SETTINGS,
        WECOM_APPS_FILE: join(dataDir, 'apps.json'),
        GUARD: 'redis',
        REDIS_URL: redis.url,
        STORE: 'mariadb',
        DATABASE_URL: mariadb.url(await mariadb.createDatabase()),
      };
      await migrated({ ...env, DATA_DIR: dataDir });
      gateway = await GatewayProcess.start(dataDir, env);
    }, 120_000);

    afterEach(async () => {
      await gateway?.kill();
      await Promise.all([redis?.stop(), mariadb?.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    });

    it(
      'loses, doubles and inverts nothing',
      async () => {
        const simulation = simulate(gateway, dataDir);
        const faults: readonly (() => Promise<unknown>)[] = [
          () => redis.client().flushall(),
          async () => {
            await redis.kill();
            await pause(FAULT_MS);
            await redis.run();
          },
          async () => {
            redis.pause();
            await pause(FAULT_MS);
            redis.resume();
          },
          async () => {
            await mariadb.kill();
            await mariadb.start();
          },
          async () => {
            mariadb.pause();
            await pause(FAULT_MS);
            mariadb.resume();
          },
        ];
        for (const fault of faults) {
          await pause(BETWEEN_MS);
          await fault();
        }
        const ended = await simulation;

        expect(faultsOf(ended), ended.output).toEqual(NO_FAULTS);
        expect(ended.result).toMatchObject({ events: COUNT, answeredEvents: COUNT });
        expect(ended.code).toBe(0);
        // A run without trouble would have shown nothing.
        expect(gateway.lines.map(({ event }) => event)).toContain('retry.paused');
      },
      FAULT_MS * 10 + COUNT * 60,
    );
  });
});

async function migrated(env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [MIGRATE], { env: { PATH: process.env['PATH'], ...env }, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
}

function simulate(gateway: GatewayProcess, dataDir: string): Promise<SimulatorResult> {
  const targets = ['--target', gateway.callbackBase, '--admin', gateway.adminBase, '--data', dataDir];
  const app = ['--apps', join(dataDir, 'apps.json'), '--app', 'crm'];
  // The handler that fails on purpose belongs to the demo app.
  const load = [
    '--count',
    String(COUNT),
    '--duplicates',
    '3',
    '--shuffle',
    '--fail-share',
    '0',
    '--rate',
    String(RATE),
  ];
  const patience = ['--retry-after', '1000', '--retries', '100', '--settle-timeout', '300'];
  return runSimulator([...targets, ...app, ...load, ...patience]);
}
