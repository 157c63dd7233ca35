export const SASL_MECHANISMS = ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = Exclude<(typeof SASL_MECHANISMS)[number], ''>;

/** How to reach a cluster of brokers, and what its topics should be. Holds secrets: never to be logged. */
export interface BrokerConfig {
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

/** Which engine wall 2 runs on. */
export type TransportConfig =
  { readonly engine: 'sqlite' } | { readonly engine: 'kafka'; readonly broker: BrokerConfig };

const BROKER = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const PORT_MAX = 65_535;

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
