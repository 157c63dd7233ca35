import type { KafkaConfig } from '../../config/kafka-config.js';
import { healthOf, type PartHealth } from '../../observability/health-registry.js';
import type { Log } from '../../observability/log.js';
import { DEFAULT_COME_BACK_MS, type OpenedTransport, type Opening } from '../opened-transport.js';
import { KafkaTransport } from './kafka-transport.js';
import { loadKafkaClient } from './load-kafka-client.js';
import type { TopicWarning } from './topics-check.js';

// Work in hand when its partition moves to another worker; it is safe to cut it off, and then runs again there.
const REVOKE_LIMIT_MS = 5_000;
// An envelope is the plaintext as JSON, where quotes and line ends take two bytes.
const ENVELOPE_BYTES_PER_BODY_BYTE = 2;

export async function openKafkaTransport(
  broker: KafkaConfig,
  { config, clock, log }: Opening,
): Promise<OpenedTransport> {
  const client = await loadKafkaClient();
  const transport = new KafkaTransport(
    client,
    clock,
    {
      broker,
      clientId: config.instance,
      topics: [config.eventsTopic, config.dlqTopic],
      publishTimeoutMs: config.publishTimeoutMs,
      messageBytesMax: ENVELOPE_BYTES_PER_BODY_BYTE * config.bodyBytesMax,
      defaultComeBackMs: DEFAULT_COME_BACK_MS,
      revokeLimitMs: REVOKE_LIMIT_MS,
    },
    sayOnce(log),
  );
  transport.open();
  return { transport, check: () => check(transport) };
}

/** Topics are looked at every minute; what is found is said when it changes. */
function sayOnce(log: Log): (warnings: readonly TopicWarning[]) => void {
  let said = '';
  return (warnings) => {
    const now = JSON.stringify(warnings);
    if (now === said) return;
    for (const { topic, kind, reason } of warnings) log.warn(`transport.topic.${kind}`, { topic, reason });
    said = now;
  };
}

function check(transport: KafkaTransport): PartHealth {
  const trouble = transport.trouble();
  const warnings = transport.warnings();
  if (trouble || warnings.length === 0) return healthOf(trouble, 'degraded');
  return { status: 'degraded', reason: warnings.map(({ topic, reason }) => `${topic}: ${reason}`).join('; ') };
}
