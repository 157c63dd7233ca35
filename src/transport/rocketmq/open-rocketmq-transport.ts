import type { RocketMqConfig } from '../../config/rocketmq-config.js';
import { healthOf } from '../../observability/health-registry.js';
import { DEFAULT_COME_BACK_MS, type OpenedTransport, type Opening } from '../opened-transport.js';
import { fencedClients } from './fenced-clients.js';
import { loadClientLibrary } from './load-client-library.js';
import { RocketMqTransport } from './rocketmq-transport.js';

// A start does not wait long for a broker that is away: the spool takes the events.
const OPEN_LIMIT_MS = 2_000;
// The server takes no less.
const VISIBILITY_MS_MIN = 10_000;

export async function openRocketMqTransport(
  { endpoints, namespace, credentials }: RocketMqConfig,
  { config, clock, log }: Opening,
): Promise<OpenedTransport> {
  const clients = fencedClients(await loadClientLibrary(), clock, {
    endpoints,
    credentials,
    requestTimeoutMs: config.publishTimeoutMs,
    debug: (text) => log.debug('transport.client_said', { text }),
  });
  const transport = new RocketMqTransport(clock, clients, {
    namespace,
    publishLimitMs: config.publishTimeoutMs,
    // As long as the lease: whoever takes a message over earlier waits for the lease's end.
    visibilityMs: Math.max(config.leaseTtlMs, VISIBILITY_MS_MIN),
    defaultComeBackMs: DEFAULT_COME_BACK_MS,
  });
  await transport.open([config.eventsTopic, config.dlqTopic], OPEN_LIMIT_MS);
  const trouble = transport.trouble();
  if (trouble !== null) log.warn('transport.lost', { reason: trouble.reason });
  return { transport, check: () => healthOf(transport.trouble(), 'degraded') };
}
