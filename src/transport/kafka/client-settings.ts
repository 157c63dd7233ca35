import type { KafkaConfig } from '../../config/kafka-config.js';
import type { ClientSettings } from './kafka-client.js';

// A connection whose other end hangs is given up after this; the client's default is a minute.
const SOCKET_TIMEOUT_MS = 5_000;
const RECONNECT_BACKOFF_MAX_MS = 1_000;
// How soon a lost leader or a new partition is noticed where nothing fails.
const METADATA_MAX_AGE_MS = 30_000;
// Longer would delay a lone message for nothing: requests under way collect what comes meanwhile.
const LINGER_MS = 1;
const QUEUED_KBYTES_MAX = 65_536;
const REPORT_MARGIN_MS = 100;
// How long a dead worker's partitions stay with it.
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_EVERY_MS = 2_000;
// What the client reads ahead of us, a partition and in all.
const READ_AHEAD_RECORDS = 1_000;
const READ_AHEAD_KBYTES_MAX = 16_384;

/** Where the brokers are and how to log in there. */
export function connectionSettings(broker: KafkaConfig, clientId: string): ClientSettings {
  const { brokers, sasl, tls } = broker;
  const protocol = `${sasl ? 'sasl_' : ''}${tls ? 'ssl' : 'plaintext'}`;
  return {
    'client.id': clientId,
    'bootstrap.servers': brokers.join(','),
    'security.protocol': protocol,
    ...(sasl && {
      'sasl.mechanisms': sasl.mechanism,
      'sasl.username': sasl.username,
      'sasl.password': sasl.password,
    }),
    ...(tls?.ca && { 'ssl.ca.pem': tls.ca }),
    ...(tls?.certificate && {
      'ssl.certificate.pem': tls.certificate.cert,
      'ssl.key.pem': tls.certificate.key,
    }),
    'socket.timeout.ms': SOCKET_TIMEOUT_MS,
    'socket.keepalive.enable': true,
    'reconnect.backoff.max.ms': RECONNECT_BACKOFF_MAX_MS,
    'topic.metadata.refresh.interval.ms': METADATA_MAX_AGE_MS,
    // A topic that springs into being has the broker's defaults, which keep no promise.
    'allow.auto.create.topics': false,
  };
}

/** What an acknowledgement is worth stands here; docs/adr/0007 has what other settings lose. */
export function producerSettings(publishTimeoutMs: number, messageBytesMax: number): ClientSettings {
  // The client's own report should come before our limit, so that a failure has its real reason.
  const messageTimeoutMs = Math.max(publishTimeoutMs - REPORT_MARGIN_MS, Math.ceil(publishTimeoutMs / 2));
  return {
    acks: -1,
    // Without it a resent batch can come after its successor, which turns the order of an entity.
    'enable.idempotence': true,
    'message.timeout.ms': messageTimeoutMs,
    'request.timeout.ms': messageTimeoutMs,
    'linger.ms': Math.min(LINGER_MS, messageTimeoutMs),
    'queue.buffering.max.kbytes': QUEUED_KBYTES_MAX,
    'message.max.bytes': messageBytesMax,
    // As the Java client does it: others that write to the topic put an entity where we do.
    partitioner: 'murmur2_random',
    dr_cb: true,
  };
}

export function consumerSettings(group: string, messageBytesMax: number): ClientSettings {
  return {
    'group.id': group,
    'enable.auto.commit': false,
    'enable.auto.offset.store': false,
    // A group that is new, or whose offsets the broker forgot, begins at the oldest record: wall 3 knows the old ones.
    'auto.offset.reset': 'earliest',
    // Partitions that stay where they are go on while others move.
    'partition.assignment.strategy': 'cooperative-sticky',
    'session.timeout.ms': SESSION_TIMEOUT_MS,
    'heartbeat.interval.ms': HEARTBEAT_EVERY_MS,
    'queued.min.messages': READ_AHEAD_RECORDS,
    'queued.max.messages.kbytes': READ_AHEAD_KBYTES_MAX,
    'fetch.message.max.bytes': messageBytesMax,
    'fetch.max.bytes': Math.max(READ_AHEAD_KBYTES_MAX * 1024, messageBytesMax),
    'receive.message.max.bytes': Math.max(READ_AHEAD_KBYTES_MAX * 1024, messageBytesMax) + 1_048_576,
  };
}
