import { join } from 'node:path';
import { healthOf, type PartHealth } from '../../observability/health-registry.js';
import { DEFAULT_COME_BACK_MS, type OpenedTransport, type Opening } from '../opened-transport.js';
import { SqliteTransport } from './sqlite-transport.js';

const GROUP_COMMIT_MAX = 1_000;

export function openSqliteTransport({ config, clock, log }: Opening): OpenedTransport {
  const transport = new SqliteTransport(clock, {
    path: join(config.dataDir, 'queue.sqlite'),
    groupCommitMax: GROUP_COMMIT_MAX,
    defaultComeBackMs: DEFAULT_COME_BACK_MS,
  });
  transport.open();
  const served = [config.eventsTopic, config.dlqTopic];
  for (const { topic, count } of transport.stranded(served)) log.warn('transport.topic.stranded', { topic, count });
  return { transport, check: () => check(transport, served) };
}

function check(transport: SqliteTransport, served: readonly string[]): PartHealth {
  // Asked first: where it cannot be answered, the trouble says so.
  const stranded = transport.stranded(served);
  const trouble = transport.trouble();
  if (trouble || stranded.length === 0) return healthOf(trouble, 'degraded');
  const each = stranded.map(({ topic, count }) => `${topic} (${count})`).join(', ');
  const remedy = 'if EVENTS_TOPIC or DLQ_TOPIC was renamed, run with the old name until they are gone';
  return { status: 'degraded', reason: `nobody consumes the messages of ${each}: ${remedy}` };
}
