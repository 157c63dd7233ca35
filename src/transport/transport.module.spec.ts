import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { CONFIG } from '../config/config.js';
import { HealthRegistry, type PartHealth } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../runtime/clock.js';
import { TransportModule } from './transport.module.js';
import { Transport } from './transport.js';

let dataDir: string;
let lines: string[];
const apps: TestingModule[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'wecom-transport-'));
  lines = [];
});

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  rmSync(dataDir, { recursive: true });
});

async function start(eventsTopic: string, dlqTopic = 'dlq') {
  const log = new Log(pino({ base: null }, { write: (line: string) => void lines.push(line) }));
  @Global()
  @Module({
    providers: [
      HealthRegistry,
      Metrics,
      { provide: CONFIG, useValue: { dataDir, eventsTopic, dlqTopic, transport: { engine: 'sqlite' } } },
      { provide: Clock, useClass: ManualClock },
      { provide: Log, useValue: log },
    ],
    exports: [HealthRegistry, Metrics, CONFIG, Clock, Log],
  })
  class Surroundings {}

  const app = await Test.createTestingModule({ imports: [Surroundings, TransportModule] }).compile();
  await app.init();
  apps.push(app);
  const health = (): PartHealth | undefined => app.get(HealthRegistry).check().parts['transport'];
  const publish = (topic: string, ...keys: string[]): Promise<void> =>
    app.get<Transport>(Transport).publish(
      topic,
      keys.map((orderingKey) => ({ orderingKey, body: '' })),
    );
  const stop = (): Promise<void> => apps.splice(apps.indexOf(app), 1)[0]!.close();
  return { transport: app.get<Transport>(Transport), health, publish, stop };
}

describe('TransportModule', () => {
  it('is well while all messages are of its own topics', async () => {
    const { health, publish } = await start('events');
    await publish('events', 'a');
    await publish('dlq', 'a');
    expect(health()).toEqual({ status: 'up' });
    expect(lines).toEqual([]);
  });

  it.each([
    ['EVENTS_TOPIC', 'renamed', 'dlq', 'events', 3],
    ['DLQ_TOPIC', 'events', 'renamed', 'dlq', 1],
  ])(
    'names what is left of a topic after %s was renamed, in health and in the log',
    async (_, events, dlq, topic, count) => {
      const before = await start('events');
      await before.publish('events', 'a', 'b', 'c');
      await before.publish('dlq', 'a');
      await before.stop();
      const { health, publish } = await start(events, dlq);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { event: 'transport.topic.stranded', topic, count },
      ]);
      expect(health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining(`${topic} (${count}):`) });
      // Out of the spool, for one.
      await publish(topic, 'late');
      expect(health()).toMatchObject({ reason: expect.stringContaining(`${topic} (${count + 1}):`) });
    },
  );

  it('is well again when somebody consumes the topic', async () => {
    const { transport, health, publish } = await start('renamed');
    await publish('events', 'a');
    expect(health()).toMatchObject({ status: 'degraded' });
    const subscription = { topic: 'events', group: 'workers', batchSizeMax: 1, lanes: 1 };
    const running = await transport.subscribe(subscription, async () => undefined);
    expect(health()).toEqual({ status: 'up' });
    await running.stop(0);
    expect(health()).toEqual({ status: 'up' });
  });

  it('answers also when the file is closed', async () => {
    const { transport, health } = await start('events');
    await transport.close();
    expect(health()).toMatchObject({ status: 'degraded', reason: 'the SQLite transport is not open' });
  });
});
