import type { NackMode, Role } from './env.js';
import type { GuardAddress } from './guard-address.js';
import type { RocketMqConfig } from './rocketmq-config.js';

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
}

/** Which engine wall 1 runs on. */
export type GuardConfig =
  | { readonly engine: 'embedded' }
  /** The address holds a password: never to be logged. */
  | { readonly engine: 'redis'; readonly address: GuardAddress };

/** Which engine wall 2 runs on. */
export type TransportConfig = { readonly engine: 'sqlite' } | RocketMqConfig;

export interface Config {
  readonly role: Role;
  readonly instance: string;
  readonly port: number;
  readonly host: string;
  readonly adminPort: number;
  readonly adminHost: string;
  readonly adminToken: string;
  /** Where it was made and kept; null when the settings gave it. */
  readonly adminTokenPath: string | null;
  readonly adminActor: string;
  readonly dataDir: string;
  readonly apps: ReadonlyMap<string, App>;
  /** True while the only app is the one made for trying the service out. */
  readonly isDemo: boolean;
  readonly guard: GuardConfig;
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
  readonly shutdownLimitMs: number;
  readonly logLevel: string;
  /** What was mended while reading, such as a blank cut off at the end of a key; logged at start. */
  readonly warnings: readonly string[];
}

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
