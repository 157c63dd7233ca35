import type { Env } from './env.js';

export const SASL_MECHANISMS = ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = Exclude<(typeof SASL_MECHANISMS)[number], ''>;

/** How to reach a cluster of brokers, and what its topics should be. Holds secrets: never to be logged. */
export interface KafkaConfig {
  readonly engine: 'kafka';
  /** `host:port`, one or more. */
  readonly brokers: readonly string[];
  readonly sasl: {
    readonly mechanism: SaslMechanism;
    readonly username: string;
    readonly password: string;
  } | null;
  readonly tls: {
    /** PEM; null trusts the system's authorities. */
    readonly ca: string | null;
    /** Client certificate and its key, PEM, for brokers that ask for one. */
    readonly certificate: { readonly cert: string; readonly key: string } | null;
  } | null;
  readonly topics: {
    /** Whether missing topics are created at start. */
    readonly create: boolean;
    readonly partitions: number;
    /** 0: three, or as many as there are brokers. */
    readonly replicationFactor: number;
    readonly retentionMs: number;
  };
}

const DAY_MS = 86_400_000;
const BROKER = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const PORT_MAX = 65_535;

/** What is wrong with the settings by themselves is added to `faults`. */
export function readKafka(env: Env, faults: string[]): KafkaConfig {
  const brokers = env.KAFKA_BROKERS ? parseBrokers(env.KAFKA_BROKERS) : null;
  if (brokers === null) {
    faults.push(
      env.KAFKA_BROKERS
        ? 'KAFKA_BROKERS: must be host:port, several separated by commas'
        : 'KAFKA_BROKERS: must be set with TRANSPORT=kafka',
    );
  }
  return {
    engine: 'kafka',
    brokers: brokers ?? [],
    sasl: readSasl(env, faults),
    tls: readTls(env, faults),
    topics: {
      create: env.KAFKA_CREATE_TOPICS === 'true',
      partitions: env.KAFKA_PARTITIONS,
      replicationFactor: env.KAFKA_REPLICATION_FACTOR,
      retentionMs: env.TRANSPORT_RETENTION_DAYS * DAY_MS,
    },
  };
}

/** Reads `host:port,host:port`; null when an entry is anything else, or when there is none. */
export function parseBrokers(text: string): string[] | null {
  const brokers = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const isBroker = (entry: string): boolean => {
    const port = Number(BROKER.exec(entry)?.[1] ?? 0);
    return port > 0 && port <= PORT_MAX;
  };
  return brokers.length > 0 && brokers.every(isBroker) ? brokers : null;
}

function readSasl(env: Env, faults: string[]): KafkaConfig['sasl'] {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (mechanism === '') {
    if (username || password) faults.push('KAFKA_SASL_MECHANISM: must be set when there is a user or a password');
    return null;
  }
  if (!username) faults.push('KAFKA_SASL_USERNAME: must be set with KAFKA_SASL_MECHANISM');
  if (!password) faults.push('KAFKA_SASL_PASSWORD: must be set with KAFKA_SASL_MECHANISM');
  return { mechanism, username: username ?? '', password: password ?? '' };
}

function readTls(env: Env, faults: string[]): KafkaConfig['tls'] {
  const { KAFKA_TLS_CA: ca, KAFKA_TLS_CERT: cert, KAFKA_TLS_KEY: key } = env;
  if (env.KAFKA_TLS === 'false') {
    // A certificate that is not used means connections in plain text where somebody meant otherwise.
    if (ca || cert || key) faults.push('KAFKA_TLS: must be true when there are certificates or keys');
    return null;
  }
  if (!cert !== !key) faults.push('KAFKA_TLS_CERT, KAFKA_TLS_KEY: one is no use without the other');
  return { ca: ca ?? null, certificate: cert && key ? { cert, key } : null };
}
