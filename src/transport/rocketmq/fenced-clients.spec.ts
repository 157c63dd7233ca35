import { createRequire } from 'node:module';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../runtime/system-clock.js';
import { fencedClients } from './fenced-clients.js';
import { loadClientLibrary } from './load-client-library.js';
import { ROCKETMQ_CLIENT_VERSION, RocketMqClientMissingError } from './rocketmq-client-missing-error.js';

let home: string;
const homeBefore = process.env['HOME'];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'wecom-home-'));
  process.env['HOME'] = home;
});

afterEach(() => {
  process.env['HOME'] = homeBefore;
  rmSync(home, { recursive: true });
});

describe('the clients of rocketmq-client-nodejs', () => {
  it('have the version whose insides the fence was made for', async () => {
    const require = createRequire(import.meta.url);
    const { version } = require('rocketmq-client-nodejs/package.json') as { version: string };
    expect(version).toBe(ROCKETMQ_CLIENT_VERSION);
    const { Producer, SimpleConsumer } = await loadClientLibrary();
    const options = { endpoints: '127.0.0.1:1', namespace: '', logger: console };
    const producer = new Producer(options);
    const consumer = new SimpleConsumer({ ...options, consumerGroup: 'g', subscriptions: new Map([['t', '*']]) });
    const methods = ['createTelemetryStream', 'onTopicRouteDataUpdate', 'updateRoutes', 'sleep'];
    const both = [...methods, 'getTotalRouteEndpoints', 'getTelemetrySession'];
    expect(both.map((name) => typeof Reflect.get(producer, name))).toEqual(both.map(() => 'function'));
    const more = ['onSettingsCommand', 'ackMessage', 'changeInvisibleDuration', 'receive'];
    expect(more.map((name) => typeof Reflect.get(consumer, name))).toEqual(more.map(() => 'function'));
    for (const client of [producer, consumer]) {
      expect(Reflect.get(client, 'topicRouteCache')).toBeInstanceOf(Map);
      (Reflect.get(client, 'rpcClientManager') as { close(): void }).close();
    }
  });

  it('start nowhere, say why, and leave neither a timer nor a file under the home folder', async () => {
    const said: string[] = [];
    const clients = fencedClients(await loadClientLibrary(), new SystemClock(), {
      endpoints: '127.0.0.1:1',
      credentials: { accessKey: 'key', secretKey: 'a-secret' },
      requestTimeoutMs: 1_000,
      debug: (text) => said.push(text),
    });
    for (const client of [clients.producer('topic'), clients.consumer('topic', 'group')]) {
      const starting = expect(client.start()).rejects.toThrow();
      await client.stop();
      await client.stop();
      const stoppedAt = performance.now();
      await starting;
      // By itself it would go on to two more tries, after one and two seconds.
      expect(performance.now() - stoppedAt).toBeLessThan(900);
    }
    expect(said.join('\n')).toMatch(/topic/);
    expect(said.join('\n')).not.toContain('a-secret');
    expect(readdirSync(home)).toEqual([]);
  });
});

describe('a missing client', () => {
  it('is named with the command that installs it', () => {
    const error = new RocketMqClientMissingError({ cause: new Error('ERR_MODULE_NOT_FOUND') });
    expect(error.code).toBe('ROCKETMQ_CLIENT_MISSING');
    expect(error.message).toContain('npm install rocketmq-client-nodejs@1.0.8');
  });
});
