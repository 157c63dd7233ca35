import { describe, expect, it } from 'vitest';
import { Log } from '../observability/log.js';
import { createLogger } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { EventConsumer } from './event.consumer.js';
import type { MessageReader } from './message-reader.js';
import type { MessageRunner } from './message-runner.js';
import { WorkerMetrics } from './worker-metrics.js';

describe('the consumer of events', () => {
  it('counts messages of a version that it does not know', async () => {
    const metrics = new Metrics();
    const newer = [{ delivery: { position: '1' }, version: 2 }];
    const reader = { read: () => ({ items: [], newer }) } as unknown as MessageReader;
    const runner = { run: async () => undefined } as unknown as MessageRunner;
    const log = new Log(createLogger('silent', 'test'));
    await new EventConsumer(reader, runner, log, new WorkerMetrics(metrics)).consume([]);
    expect(await metrics.registry.metrics()).toContain('wecom_messages_newer_total 1');
  });
});
