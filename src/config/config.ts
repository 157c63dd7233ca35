import type { DatabaseAddress } from './database-address.js';
import type { NackMode } from './env.js';
import type { GuardServers } from './guard-servers.js';
import type { KeptAges } from './kept-ages.js';
import type { Role } from './roles.js';
import type { TransportConfig } from './transport-config.js';

/** Credentials of one receiver: what an administrator enters in WeCom's console. */
export interface AppCredentials {
  readonly token: string;
  /** 32 bytes. */
  readonly aesKey: Buffer;
}

export interface App {
  readonly name: string;
  /** The pair in use first, then the next one, so that a rotation loses nothing. */
  readonly credentials: readonly AppCredentials[];
  /** May be '' (AI bots, apps of individual developers): an explicit value, never a check left out. */
  readonly receiveIds: readonly string[];
  readonly envelope: 'xml' | 'json';
  /** WeCom gives up after this long. */
  readonly deadlineMs: number;
  readonly nackMode: NackMode;
  /** For reading from WeCom's API; null: events alone have to do. The secret is never to be logged. */
  readonly api: { readonly corpId: string; readonly secret: string } | null;
}

/** Which engine wall 3 runs on. */
export type StoreConfig =
  | { readonly engine: 'sqlite' }
  | {
      readonly engine: 'mysql' | 'mariadb';
      /** Holds a password: never to be logged. */
      readonly address: DatabaseAddress;
      readonly poolMax: number;
      readonly timeoutMs: number;
    };

/** Which engine wall 1 runs on. */
export type GuardConfig =
  | { readonly engine: 'embedded' }
  /** They hold passwords and keys: never to be logged. */
  | { readonly engine: 'redis'; readonly servers: GuardServers };

/** Who gets into the admin API. Times in milliseconds. */
export interface AccessConfig {
  readonly sessionIdleMs: number;
  readonly sessionMaxMs: number;
  /** False: the session's cookie is sent over plain HTTP as well. */
  readonly secureCookie: boolean;
  /** Logins that may fail within `lockMs`, of one account and from one address; the next one is locked out for as long. */
  readonly accountFailuresMax: number;
  readonly addressFailuresMax: number;
  readonly lockMs: number;
  /** Addresses and CIDRs whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
}

export interface Config {
  readonly role: Role;
  readonly instance: string;
  readonly port: number;
  readonly host: string;
  readonly adminPort: number;
  readonly adminHost: string;
  /** Empty where the role has no admin API. */
  readonly adminToken: string;
  /** Where it was made and kept; null when the settings gave it. */
  readonly adminTokenPath: string | null;
  readonly adminActor: string;
  readonly access: AccessConfig;
  readonly dataDir: string;
  /** None where the role takes no callbacks: credentials are not for whoever does not need them. */
  readonly apps: ReadonlyMap<string, App>;
  /** True while the only app is the one made for trying the service out. */
  readonly isDemo: boolean;
  readonly store: StoreConfig;
  readonly guard: GuardConfig;
  readonly wecomApi: { readonly baseUrl: string; readonly timeoutMs: number };
  readonly transport: TransportConfig;
  readonly eventsTopic: string;
  readonly dlqTopic: string;
  readonly eventsGroup: string;
  readonly dlqGroup: string;
  readonly leaseTtlMs: number;
  readonly leaseMaxLifeMs: number;
  readonly retryDelaysMs: readonly number[];
  readonly successTtlMs: number;
  readonly guardTimeoutMs: number;
  readonly publishTimeoutMs: number;
  readonly spoolTimeoutMs: number;
  readonly spoolBytesMax: number;
  readonly bodyBytesMax: number;
  readonly hungRequestsMax: number;
  readonly workerLanes: number;
  readonly workerBatchMax: number;
  readonly outboxAttemptsMax: number;
  readonly kept: KeptAges;
  readonly shutdownLimitMs: number;
  readonly logLevel: string;
  /** What was mended while reading, such as a blank cut off at the end of a key, and what works but is odd; logged at start. */
  readonly warnings: readonly string[];
}

/** What migrations need to know: no credentials of apps, and nothing of the other engines. */
export type DatabaseConfig = Pick<Config, 'store' | 'dataDir' | 'leaseMaxLifeMs'>;

export const CONFIG = Symbol('CONFIG');

/** Life of RECEIVED: longer than a publish may take, shorter than WeCom's five seconds (protocol.md, "Guard states"). */
export const CLAIM_TTL_MS = 3_000;
export const QUEUED_TTL_MS = 300_000;

/** All faults of the settings at once; the message names keys and rules, never values. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';

  constructor(readonly faults: readonly string[]) {
    super(`the settings are not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}
