import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { accessConfig, accessFaults, accessWarnings } from './access-config.js';
import { parseApps, type ParsedApps } from './apps-file.js';
import {
  CLAIM_TTL_MS,
  ConfigError,
  type Config,
  type DatabaseConfig,
  type GuardConfig,
  type StoreConfig,
} from './config.js';
import { parseDatabaseUrl } from './database-address.js';
import { Env } from './env.js';
import { readGuardServers } from './guard-servers.js';
import { keptAges, keptFaults, type KeptDays } from './kept-ages.js';
import { partsOf, roleFaults, roleWarnings, ROLES, type EngineChoice, type RoleChoice } from './roles.js';
import { readTransport, type TransportConfig } from './transport-config.js';

/** What the settings are read from; a test gives its own. */
export interface ConfigSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Throws when the file cannot be read. */
  readText(path: string): string;
  readonly hostname: string;
  readonly pid: number;
  /** Credentials for a first try, as an apps file; made once and kept. Returns where they are. */
  demoApps(dataDir: string): { readonly text: string; readonly path: string };
  adminTokenPath(dataDir: string): string;
  /** The admin token of DATA_DIR, made once and kept. */
  adminToken(dataDir: string): string;
}

/** Reads and checks every setting. Throws one `ConfigError` that names all faults. */
export function loadConfig(sources: ConfigSources): Config {
  const faults: string[] = [];
  const env = readEnv(sources, faults);
  faults.push(...relationFaults(env));
  // A gateway opens no database and an admin no transport: settings shared with others are no business of theirs.
  const store: StoreConfig = partsOf(env.ROLE).database ? readStore(env, faults) : { engine: 'sqlite' };
  faults.push(...demoFaults(env));
  const guard = readGuard(env, faults);
  const transport: TransportConfig = partsOf(env.ROLE).transport ? readTransport(env, faults) : { engine: 'sqlite' };
  if (faults.length > 0) throw new ConfigError(faults);
  const { parsed, isDemo } = readApps(sources, env);
  const { admin } = partsOf(env.ROLE);
  if (parsed.faults.length > 0) throw new ConfigError(parsed.faults);
  return {
    role: env.ROLE,
    instance: env.INSTANCE || `${sources.hostname}-${sources.pid}`,
    port: env.PORT,
    host: env.HOST || (isDemo ? '127.0.0.1' : '0.0.0.0'),
    adminPort: env.ADMIN_PORT,
    adminHost: env.ADMIN_HOST,
    adminTokenPath: env.ADMIN_TOKEN || !admin ? null : sources.adminTokenPath(env.DATA_DIR),
    adminToken: admin ? env.ADMIN_TOKEN || sources.adminToken(env.DATA_DIR) : '',
    adminActor: env.ADMIN_ACTOR,
    access: accessConfig(env),
    dataDir: env.DATA_DIR,
    apps: parsed.apps,
    isDemo,
    store,
    guard,
    wecomApi: { baseUrl: env.WECOM_API_URL.replace(/\/+$/, ''), timeoutMs: env.WECOM_API_TIMEOUT_MS },
    transport,
    eventsTopic: env.EVENTS_TOPIC,
    dlqTopic: env.DLQ_TOPIC,
    eventsGroup: env.EVENTS_GROUP,
    dlqGroup: env.DLQ_GROUP,
    leaseTtlMs: env.LEASE_TTL_MS,
    leaseMaxLifeMs: env.LEASE_MAX_LIFE_MS,
    retryDelaysMs: retryDelays(env),
    successTtlMs: env.SUCCESS_TTL * 1_000,
    guardTimeoutMs: env.GUARD_TIMEOUT_MS,
    publishTimeoutMs: env.PUBLISH_TIMEOUT_MS,
    spoolTimeoutMs: env.SPOOL_TIMEOUT_MS,
    spoolBytesMax: env.SPOOL_BYTES_MAX,
    bodyBytesMax: env.BODY_BYTES_MAX,
    hungRequestsMax: env.HUNG_REQUESTS_MAX,
    workerLanes: env.WORKER_LANES,
    workerBatchMax: env.WORKER_BATCH_MAX,
    outboxAttemptsMax: env.OUTBOX_ATTEMPTS_MAX,
    kept: keptAges(keptDays(env)),
    shutdownLimitMs: env.SHUTDOWN_LIMIT_MS,
    logLevel: env.LOG_LEVEL,
    warnings: [...parsed.warnings, ...roleWarnings(roleChoice(env)), ...accessWarnings(env)],
  };
}

/** The part of the settings that migrations need; a job that runs them has no apps file. */
export function loadDatabaseConfig(sources: ConfigSources): DatabaseConfig {
  const faults: string[] = [];
  const env = readEnv(sources, faults);
  const store = readStore(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { store, dataDir: env.DATA_DIR, leaseMaxLifeMs: env.LEASE_MAX_LIFE_MS };
}

/** Reads `KEY`, or the file named by `KEY_FILE` (secrets of an orchestrator), converts numbers, checks each by itself. */
function readEnv(sources: ConfigSources, faults: string[]): Env {
  const env = new Env();
  const defaults = env as unknown as Record<string, unknown>;
  const given: Record<string, unknown> = {};
  for (const key of ENV_KEYS) {
    const text = settingText(sources, key, faults);
    if (text === undefined) continue;
    given[key] = typeof defaults[key] === 'number' || NUMBERS_WITHOUT_DEFAULT.includes(key) ? Number(text) : text;
  }
  const settings = plainToInstance(Env, { ...env, ...given });
  for (const error of validateSync(settings))
    faults.push(`${error.property}: ${Object.values(error.constraints ?? {}).join('; ')}`);
  // A wrong name has just been reported; what else is wrong is looked for as in the role that has every part.
  if (!ROLES.includes(settings.ROLE)) settings.ROLE = 'all';
  return settings;
}

/** Settings without a default are no keys of a new object. */
const TEXTS_WITHOUT_DEFAULT = [
  ...[
    'ADMIN_TOKEN',
    'ADMIN_TRUSTED_PROXIES',
    'WECOM_APPS_FILE',
    'DATABASE_URL',
    'REDIS_URL',
    'REDIS_CLUSTER',
    'REDIS_SENTINELS',
  ],
  ...['REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'],
  ...['KAFKA_BROKERS', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
  ...['KAFKA_TLS_CA', 'KAFKA_TLS_CERT', 'KAFKA_TLS_KEY', 'ROCKETMQ_ENDPOINTS'],
];
const NUMBERS_WITHOUT_DEFAULT = ['EVENTS_KEPT_DAYS', 'HISTORY_KEPT_DAYS'];
const ENV_KEYS: readonly string[] = [
  ...new Set([...Object.keys(new Env()), ...TEXTS_WITHOUT_DEFAULT, ...NUMBERS_WITHOUT_DEFAULT]),
];

function settingText(sources: ConfigSources, key: string, faults: string[]): string | undefined {
  const { env } = sources;
  const path = key === 'WECOM_APPS_FILE' ? undefined : env[`${key}_FILE`];
  if (!path) return env[key] === '' ? undefined : env[key];
  try {
    return sources.readText(path).trimEnd();
  } catch {
    faults.push(`${key}_FILE: the file cannot be read`);
    return undefined;
  }
}

function retryDelays(env: Env): number[] {
  return env.RETRY_DELAYS.split(',').map(Number);
}

/** Relations between settings that hold the protocol together. */
function relationFaults(env: Env): string[] {
  const faults: string[] = [];
  if (env.DLQ_TOPIC === env.EVENTS_TOPIC)
    faults.push('DLQ_TOPIC: must not be EVENTS_TOPIC, or dead letters run for ever');
  if (env.DLQ_GROUP === env.EVENTS_GROUP) faults.push('DLQ_GROUP: must not be EVENTS_GROUP');
  if (env.LEASE_MAX_LIFE_MS <= env.LEASE_TTL_MS) faults.push('LEASE_MAX_LIFE_MS: must be longer than LEASE_TTL_MS');
  if (env.PUBLISH_TIMEOUT_MS >= CLAIM_TTL_MS)
    faults.push(`PUBLISH_TIMEOUT_MS: must be shorter than a claim (${CLAIM_TTL_MS} ms)`);
  const longestRetryMs = retryDelays(env).reduce((sum, delay) => sum + delay + env.LEASE_MAX_LIFE_MS, 0);
  if (env.SUCCESS_TTL * 1_000 <= longestRetryMs)
    faults.push('SUCCESS_TTL: must be longer than all RETRY_DELAYS and runs together');
  if (partsOf(env.ROLE).callbacks && env.PORT !== 0 && env.PORT === env.ADMIN_PORT)
    faults.push('ADMIN_PORT: must not be PORT');
  return [...faults, ...accessFaults(env), ...keptFaults(keptDays(env)), ...roleFaults(roleChoice(env))];
}

/** Engines that several processes can work on at once; all others serve the process that has their files. */
const SHARED_ENGINES: ReadonlySet<string> = new Set(['redis', 'mysql', 'mariadb', 'kafka', 'rocketmq']);

function roleChoice({ ROLE: role, GUARD: guard, STORE: store, TRANSPORT: transport }: Env): RoleChoice {
  const engine = (name: string): EngineChoice => ({ name, isShared: SHARED_ENGINES.has(name) });
  return { role, guard: engine(guard), store: engine(store), transport: engine(transport) };
}

function keptDays(env: Env): KeptDays {
  return {
    retentionDays: env.TRANSPORT_RETENTION_DAYS,
    eventsDays: env.EVENTS_KEPT_DAYS,
    historyDays: env.HISTORY_KEPT_DAYS,
    changesDays: env.CHANGES_KEPT_DAYS,
    auditDays: env.AUDIT_KEPT_DAYS,
    successTtlMs: env.SUCCESS_TTL * 1_000,
  };
}

/** The engine of wall 3 and what it needs; faults are added to `faults`, and none of them holds the address. */
function readStore(env: Env, faults: string[]): StoreConfig {
  if (env.STORE !== 'mysql' && env.STORE !== 'mariadb') {
    // Whoever sets an address means that database, and would look for the data there.
    if (env.DATABASE_URL) faults.push('DATABASE_URL: is for STORE=mysql and STORE=mariadb, but STORE is neither');
    return { engine: 'sqlite' };
  }
  // Each lane has a transaction open, the retry consumer has as many lanes, and outbox and purge need theirs too.
  if (env.DATABASE_POOL_MAX < 2 * env.WORKER_LANES + POOL_BESIDE_LANES)
    faults.push(`DATABASE_POOL_MAX: must be at least twice WORKER_LANES and ${POOL_BESIDE_LANES}`);
  const address = env.DATABASE_URL ? parseDatabaseUrl(env.DATABASE_URL) : null;
  if (address !== null) {
    return { engine: env.STORE, address, poolMax: env.DATABASE_POOL_MAX, timeoutMs: env.DATABASE_TIMEOUT_MS };
  }
  faults.push(
    env.DATABASE_URL
      ? 'DATABASE_URL: must be mysql://user:password@host:port/database, with nothing but tls=true or tls=false behind a "?"'
      : `DATABASE_URL: must be set with STORE=${env.STORE}`,
  );
  return { engine: 'sqlite' };
}

const POOL_BESIDE_LANES = 2;

/** Whoever runs a real engine means it: made-up credentials would only hide that the real ones are missing. */
function demoFaults(env: Env): string[] {
  const engines = [
    env.STORE === 'sqlite' ? [] : [`STORE=${env.STORE}`],
    env.GUARD === 'embedded' ? [] : ['GUARD=redis'],
    env.TRANSPORT === 'sqlite' ? [] : [`TRANSPORT=${env.TRANSPORT}`],
  ];
  const real = engines.flat();
  if (real.length === 0 || env.WECOM_APPS_FILE || !partsOf(env.ROLE).callbacks) return [];
  return [`WECOM_APPS_FILE: must be set with ${real.join(' and ')}; the demo app is for the embedded engines only`];
}

/** The engine of wall 1 and what it needs; faults are added to `faults`. */
function readGuard(env: Env, faults: string[]): GuardConfig {
  if (env.GUARD !== 'redis') return { engine: 'embedded' };
  const servers = readGuardServers(env, faults);
  return servers === null ? { engine: 'embedded' } : { engine: 'redis', servers };
}

const NO_APPS: ParsedApps = { apps: new Map(), faults: [], warnings: [] };

function readApps(sources: ConfigSources, env: Env): { parsed: ParsedApps; isDemo: boolean } {
  if (!partsOf(env.ROLE).callbacks) return { parsed: NO_APPS, isDemo: false };
  if (!env.WECOM_APPS_FILE) {
    const { text, path } = sources.demoApps(env.DATA_DIR);
    return { parsed: parseApps(text, path, env.NACK_MODE), isDemo: true };
  }
  try {
    return {
      parsed: parseApps(sources.readText(env.WECOM_APPS_FILE), 'WECOM_APPS_FILE', env.NACK_MODE),
      isDemo: false,
    };
  } catch {
    throw new ConfigError(['WECOM_APPS_FILE: the file cannot be read']);
  }
}
