import { IsIn, IsInt, IsNotEmpty, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { SASL_MECHANISMS } from './kafka-config.js';
import { ROLES, type Role } from './roles.js';

export const STORES = ['sqlite', 'mysql', 'mariadb'] as const;
export const GUARDS = ['embedded', 'redis'] as const;
export const TRANSPORTS = ['sqlite', 'kafka', 'rocketmq'] as const;
export const NACK_MODES = ['hang', 'reset', '503'] as const;
export type NackMode = (typeof NACK_MODES)[number];

const PORT_MAX = 65_535;
const HOUR_MS = 3_600_000;
const DAYS_MAX = 3_650;
const NAME = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Every setting, in the order of `.env.example`. Each may also come from a file named by `<KEY>_FILE`. Names of engines
 * that this build does not have stop the start: there is no silent fall-back.
 */
export class Env {
  /** Which parts this process runs. Parts in several processes need engines that processes can share. */
  @IsIn(ROLES)
  ROLE: Role = 'all';

  /** Where WeCom's callbacks come in. 0 takes a free port. */
  @IsInt()
  @Min(0)
  @Max(PORT_MAX)
  PORT = 3000;

  /** Address of PORT. Empty: all addresses, or loopback only while the demo app is used. */
  @IsString()
  HOST = '';

  /** Admin API, metrics, health. */
  @IsInt()
  @Min(0)
  @Max(PORT_MAX)
  ADMIN_PORT = 3001;

  @IsString()
  @IsNotEmpty()
  ADMIN_HOST = '127.0.0.1';

  /** Bearer token of the admin API. Empty: one is made in DATA_DIR/admin-token. */
  @IsOptional()
  @IsString()
  @Matches(/^(\S{16,})?$/, { message: 'ADMIN_TOKEN must have at least 16 characters and no blanks' })
  ADMIN_TOKEN?: string;

  /** Who acts with that token: the name in histories and audit rows. */
  @Matches(NAME)
  ADMIN_ACTOR = 'admin';

  /** Proxies before ADMIN_PORT that tell the real address in X-Forwarded-For: addresses or CIDRs, separated by commas. */
  @IsOptional()
  @IsString()
  ADMIN_TRUSTED_PROXIES?: string;

  /** A session of the console ends when it was not used for so long. */
  @IsInt()
  @Min(5)
  @Max(7 * 24 * 60)
  SESSION_IDLE_MINUTES = 60;

  /** And after so long in any case. */
  @IsInt()
  @Min(1)
  @Max(30 * 24)
  SESSION_HOURS_MAX = 12;

  /** Whether the session's cookie is for TLS and loopback only. `false` sends it over any network in clear text. */
  @IsIn(['true', 'false'])
  SESSION_COOKIE_SECURE = 'true';

  /** Logins to one account that may fail within LOGIN_LOCK_MINUTES before it is locked for as long. */
  @IsInt()
  @Min(3)
  @Max(100)
  LOGIN_FAILURES_MAX = 10;

  /** The same for one address, whatever the accounts. */
  @IsInt()
  @Min(3)
  @Max(10_000)
  LOGIN_ADDRESS_FAILURES_MAX = 50;

  @IsInt()
  @Min(1)
  @Max(24 * 60)
  LOGIN_LOCK_MINUTES = 15;

  /** State of this process: SQLite files, spool, demo credentials. */
  @IsString()
  @IsNotEmpty()
  DATA_DIR = './data';

  /** Name of this process in histories. Empty: host name and process id. */
  @IsString()
  INSTANCE = '';

  /** JSON or YAML: app name → credentials. Empty: one demo app is made, listening on loopback only. */
  @IsOptional()
  @IsString()
  WECOM_APPS_FILE?: string;

  /** Business database: wall 3. */
  @IsIn(STORES)
  STORE: (typeof STORES)[number] = 'sqlite';

  /** Where it is with STORE=mysql or mariadb: mysql://user:password@host:port/database, with ?tls=true for TLS. */
  @IsOptional()
  @IsString()
  DATABASE_URL?: string;

  /** Connections for transactions. Reading takes half as many again, and so does the data source for your own classes. */
  @IsInt()
  @Min(2)
  @Max(1_000)
  DATABASE_POOL_MAX = 10;

  /** Longest wait for a connection, and for one statement. */
  @IsInt()
  @Min(4_000)
  @Max(300_000)
  DATABASE_TIMEOUT_MS = 10_000;

  /** Wall 1. */
  @IsIn(GUARDS)
  GUARD: (typeof GUARDS)[number] = 'embedded';

  /** Where the guard is with GUARD=redis: redis://user:password@host:port/db, or rediss:// for TLS. */
  @IsOptional()
  @IsString()
  REDIS_URL?: string;

  /** Instead of REDIS_URL, some servers of a Redis Cluster: redis://user:password@host:port,host:port. */
  @IsOptional()
  @IsString()
  REDIS_CLUSTER?: string;

  /** Sentinels, in the same form. The host of REDIS_URL is then the master's name. */
  @IsOptional()
  @IsString()
  REDIS_SENTINELS?: string;

  /** For rediss://: whom to trust, PEM text. Empty: the authorities that Node knows. */
  @IsOptional()
  @IsString()
  REDIS_TLS_CA?: string;

  /** For rediss://: the certificate to show, PEM text. */
  @IsOptional()
  @IsString()
  REDIS_TLS_CERT?: string;

  @IsOptional()
  @IsString()
  REDIS_TLS_KEY?: string;

  /** Wall 2. */
  @IsIn(TRANSPORTS)
  TRANSPORT: (typeof TRANSPORTS)[number] = 'sqlite';

  /** Longest time after which the transport may deliver a message again: its topics' retention. */
  @IsInt()
  @Min(1)
  @Max(365)
  TRANSPORT_RETENTION_DAYS = 7;

  /** Brokers with TRANSPORT=kafka: host:port,host:port. */
  @IsOptional()
  @IsString()
  KAFKA_BROKERS?: string;

  /** How to log in to the brokers. Empty: not at all. */
  @IsIn(SASL_MECHANISMS)
  KAFKA_SASL_MECHANISM: (typeof SASL_MECHANISMS)[number] = '';

  @IsOptional()
  @IsString()
  KAFKA_SASL_USERNAME?: string;

  @IsOptional()
  @IsString()
  KAFKA_SASL_PASSWORD?: string;

  /** Whether connections to the brokers are encrypted. */
  @IsIn(['true', 'false'])
  KAFKA_TLS = 'false';

  /** PEM of the authority that signed the brokers' certificates. Empty: those that the system trusts. */
  @IsOptional()
  @IsString()
  KAFKA_TLS_CA?: string;

  /** PEM of a client certificate, for brokers that ask for one. */
  @IsOptional()
  @IsString()
  KAFKA_TLS_CERT?: string;

  @IsOptional()
  @IsString()
  KAFKA_TLS_KEY?: string;

  /** Whether topics that are missing are created at start. */
  @IsIn(['true', 'false'])
  KAFKA_CREATE_TOPICS = 'true';

  /** Partitions of a topic that is created: as many processes can take part in a group. */
  @IsInt()
  @Min(1)
  @Max(10_000)
  KAFKA_PARTITIONS = 12;

  /** Copies of a topic that is created. 0: three, or as many as there are brokers. */
  @IsInt()
  @Min(0)
  @Max(32)
  KAFKA_REPLICATION_FACTOR = 0;

  /** Proxies of RocketMQ 5 with TRANSPORT=rocketmq: host:port, several separated by ";". */
  @IsOptional()
  @IsString()
  ROCKETMQ_ENDPOINTS?: string;

  /** Stands in front of every topic and group on RocketMQ as `namespace%`. */
  @Matches(/^[A-Za-z0-9_-]{0,64}$/)
  ROCKETMQ_NAMESPACE = '';

  /** Name of the user of RocketMQ's ACL. Empty: none. */
  @IsString()
  ROCKETMQ_ACCESS_KEY = '';

  /** That user's password. */
  @IsString()
  ROCKETMQ_SECRET_KEY = '';

  @Matches(NAME)
  EVENTS_TOPIC = 'wecom.events';

  @Matches(NAME)
  DLQ_TOPIC = 'wecom.events.dlq';

  @Matches(NAME)
  EVENTS_GROUP = 'wecom.workers';

  @Matches(NAME)
  DLQ_GROUP = 'wecom.dead-letters';

  /** A worker's lease on an event; renewed every third of it. */
  @IsInt()
  @Min(1_000)
  @Max(HOUR_MS)
  LEASE_TTL_MS = 30_000;

  /** Longest run of a handler. */
  @IsInt()
  @Min(1_000)
  @Max(24 * HOUR_MS)
  LEASE_MAX_LIFE_MS = 120_000;

  /** Milliseconds before each retry, separated by commas. */
  @Matches(/^\d{1,9}(,\d{1,9}){0,9}$/, {
    message: 'RETRY_DELAYS must be 1 to 10 numbers of milliseconds, separated by commas',
  })
  RETRY_DELAYS = '1000,10000,60000';

  /** What WeCom gets for an event that could be kept nowhere. */
  @IsIn(NACK_MODES)
  NACK_MODE: NackMode = 'hang';

  /** How long the guard remembers an event that has its outcome, in seconds. */
  @IsInt()
  @Min(60)
  @Max(90 * 86_400)
  SUCCESS_TTL = 7 * 86_400;

  /** Longest wait for the guard on the request path. */
  @IsInt()
  @Min(1)
  @Max(1_000)
  GUARD_TIMEOUT_MS = 100;

  /** Longest wait for the transport on the request path. */
  @IsInt()
  @Min(10)
  @Max(2_500)
  PUBLISH_TIMEOUT_MS = 1_500;

  /** Longest wait for the spool's disk on the request path. */
  @IsInt()
  @Min(10)
  @Max(2_000)
  SPOOL_TIMEOUT_MS = 1_000;

  @IsInt()
  @Min(1_048_576)
  SPOOL_BYTES_MAX = 1_073_741_824;

  /** Largest body of a callback. WeCom's largest are a few hundred kilobytes. */
  @IsInt()
  @Min(65_536)
  @Max(16_777_216)
  BODY_BYTES_MAX = 1_048_576;

  /** Requests that may hang at once under NACK_MODE=hang; past it they are reset. */
  @IsInt()
  @Min(0)
  @Max(100_000)
  HUNG_REQUESTS_MAX = 1_000;

  /** Batches that a worker has in hand at once. */
  @IsInt()
  @Min(1)
  @Max(256)
  WORKER_LANES = 4;

  /** Events that may share a transaction. */
  @IsInt()
  @Min(1)
  @Max(1_000)
  WORKER_BATCH_MAX = 100;

  /** Deliveries of a side effect before it is dead. */
  @IsInt()
  @Min(1)
  @Max(1_000)
  OUTBOX_ATTEMPTS_MAX = 20;

  /** How long an event's row is kept after its outcome. 0: for ever. Empty: TRANSPORT_RETENTION_DAYS + 7. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(DAYS_MAX)
  EVENTS_KEPT_DAYS?: number;

  /** How long the decisions about events are kept. 0: for ever. Empty: as long as events. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(DAYS_MAX)
  HISTORY_KEPT_DAYS?: number;

  /** How long the time lines of entities are kept. 0: for ever. Where an entity stands is kept in any case. */
  @IsInt()
  @Min(0)
  @Max(DAYS_MAX)
  CHANGES_KEPT_DAYS = 365;

  /** How long it is kept what operators did. 0: for ever. */
  @IsInt()
  @Min(0)
  @Max(DAYS_MAX)
  AUDIT_KEPT_DAYS = 730;

  /** Where WeCom's API is; another host for a private deployment. Used only for apps with a `secret`. */
  @Matches(/^https?:\/\/[^\s?#@]+$/, { message: 'WECOM_API_URL must be http(s)://host, without user, "?" or "#"' })
  WECOM_API_URL = 'https://qyapi.weixin.qq.com';

  /** Longest wait for an answer of WeCom's API. */
  @IsInt()
  @Min(100)
  @Max(20_000)
  WECOM_API_TIMEOUT_MS = 5_000;

  /** How long work in hand may go on after SIGTERM. */
  @IsInt()
  @Min(100)
  @Max(600_000)
  SHUTDOWN_LIMIT_MS = 10_000;

  @IsIn(['debug', 'info', 'warn', 'error'])
  LOG_LEVEL = 'info';
}
