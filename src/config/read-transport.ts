import { parseBrokers, type BrokerConfig, type TransportConfig } from './broker-config.js';
import type { Env } from './env.js';

const HOUR_MS = 3_600_000;

/** The engine of wall 2 and what it needs; faults are added to `faults`. */
export function readTransport(env: Env, faults: string[]): TransportConfig {
  if (env.TRANSPORT !== 'kafka') return { engine: 'sqlite' };
  // Whoever runs a real engine means it: made-up credentials would only hide that the real ones are missing.
  if (!env.WECOM_APPS_FILE)
    faults.push('WECOM_APPS_FILE: must be set with TRANSPORT=kafka; the demo app is for the embedded engines only');
  const brokers = env.KAFKA_BROKERS ? parseBrokers(env.KAFKA_BROKERS) : null;
  if (brokers === null) {
    faults.push(
      env.KAFKA_BROKERS
        ? 'KAFKA_BROKERS: must be host:port, several separated by commas'
        : 'KAFKA_BROKERS: must be set with TRANSPORT=kafka',
    );
  }
  const broker: BrokerConfig = {
    brokers: brokers ?? [],
    sasl: readSasl(env, faults),
    tls: readTls(env, faults),
    topics: {
      create: env.KAFKA_CREATE_TOPICS === 'true',
      partitions: env.KAFKA_PARTITIONS,
      replicationFactor: env.KAFKA_REPLICATION_FACTOR,
      retentionMs: env.KAFKA_RETENTION_HOURS * HOUR_MS,
    },
  };
  return { engine: 'kafka', broker };
}

function readSasl(env: Env, faults: string[]): BrokerConfig['sasl'] {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (mechanism === '') {
    if (username || password) faults.push('KAFKA_SASL_MECHANISM: must be set when there is a user or a password');
    return null;
  }
  if (!username) faults.push('KAFKA_SASL_USERNAME: must be set with KAFKA_SASL_MECHANISM');
  if (!password) faults.push('KAFKA_SASL_PASSWORD: must be set with KAFKA_SASL_MECHANISM');
  return { mechanism, username: username ?? '', password: password ?? '' };
}

function readTls(env: Env, faults: string[]): BrokerConfig['tls'] {
  const { KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = env;
  if (env.KAFKA_TLS === 'false') {
    // A certificate that is not used means connections in plain text where somebody meant otherwise.
    if (ca || cert || key) faults.push('KAFKA_TLS: must be true when there are certificates or keys');
    return null;
  }
  if (!cert !== !key) faults.push('KAFKA_TLS_CERT, KAFKA_TLS_KEY: one is no use without the other');
  return { ca: ca ?? null, certificate: cert && key ? { cert, key } : null };
}
