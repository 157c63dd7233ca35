import { describe, expect, it } from 'vitest';
import { ManualClock } from '../test/support/manual-clock.js';
import { MemoryDisk } from '../test/support/memory-disk.js';
import type { Config } from './config/config.js';
import { HealthRegistry, type PartHealth } from './observability/health-registry.js';
import { Metrics } from './observability/metrics.js';
import { registerProcessMetrics } from './process-metrics.js';

describe('the metrics of a process', () => {
  const metrics = new Metrics();
  const health = new HealthRegistry();
  const [clock, disk] = [new ManualClock(), new MemoryDisk()];
  let guard: PartHealth = { status: 'up' };
  health.register({ name: 'guard', check: () => guard });
  disk.capacityBytes = 1_000;
  registerProcessMetrics({ metrics, health, clock, disk }, { role: 'worker', dataDir: '/' } as Config);

  it('tell one state of each part', async () => {
    guard = { status: 'degraded', reason: 'away' };
    const text = await metrics.registry.metrics();
    expect(text).toContain('wecom_process_info{role="worker"} 1');
    expect(text).toContain('wecom_part_state{part="guard",state="degraded"} 1');
    expect(text).toContain('wecom_part_state{part="guard",state="up"} 0');
  });

  it('tell the room in the data folder, and nothing while the disk does not answer', async () => {
    expect(await metrics.registry.metrics()).toContain('wecom_data_free_bytes 1000');
    disk.fail('space', { code: 'EIO' });
    await clock.advance(10_000);
    expect(await metrics.registry.metrics()).not.toMatch(/^wecom_data_free_bytes \d/m);
  });
});
