import { Gauge } from 'prom-client';
import type { Config } from './config/config.js';
import type { HealthRegistry } from './observability/health-registry.js';
import type { Metrics } from './observability/metrics.js';
import { Reading } from './observability/reading.js';
import type { Clock } from './runtime/clock.js';
import type { Disk } from './runtime/disk.js';

const STATES = ['up', 'degraded', 'down'] as const;
const SPACE_READING = { everyMs: 10_000, limitMs: 2_000 };

export interface ProcessParts {
  readonly metrics: Metrics;
  readonly health: HealthRegistry;
  readonly clock: Clock;
  readonly disk: Disk;
}

/** What every role tells of itself: which it is, how its parts are, and how much room its folder has. */
export function registerProcessMetrics({ metrics, health, clock, disk }: ProcessParts, config: Config): void {
  const registers = [metrics.registry];
  new Gauge({
    name: 'wecom_process_info',
    help: 'Always 1; role is what the process runs.',
    labelNames: ['role'],
    registers,
  }).set({ role: config.role }, 1);
  const parts: Gauge<'part' | 'state'> = new Gauge({
    name: 'wecom_part_state',
    help: '1 for the state that a part of the process is in, as /health says it: up, degraded, down; else 0.',
    labelNames: ['part', 'state'],
    registers,
    collect: () => {
      for (const [part, { status }] of Object.entries(health.check().parts))
        for (const state of STATES) parts.set({ part, state }, state === status ? 1 : 0);
    },
  });
  const space = new Reading(clock, 'space of the data folder', () => disk.space(config.dataDir), SPACE_READING);
  const bytes = (name: string, help: string, of: 'size' | 'free'): void => {
    const gauge: Gauge = new Gauge({
      ...{ name, help, registers },
      collect: async () => {
        const known = await space.get();
        if (known === null) gauge.remove();
        else gauge.set(known[of]);
      },
    });
  };
  bytes('wecom_data_free_bytes', 'Bytes that may still be written to the file system of DATA_DIR.', 'free');
  bytes('wecom_data_size_bytes', 'Size of the file system of DATA_DIR.', 'size');
}
