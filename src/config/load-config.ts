import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parseApps, type ParsedApps } from './apps-file.js';
import { CLAIM_TTL_MS, ConfigError, type Config, type GuardConfig, type TransportConfig } from './config.js';
import { Env } from './env.js';
import { parseRedisUrl } from './guard-address.js';
import { isOneRocketMqName, readRocketMq, ROCKETMQ_CALLBACK_BYTES_MAX } from './rocketmq-config.js';

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
  const guard = readGuard(env, faults);
  const transport = readTransport(env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  const { parsed, isDemo } = readApps(sources, env);
  if (parsed.faults.length > 0) throw new ConfigError(parsed.faults);
  return {
    role: env.ROLE,
    instance: env.INSTANCE || `${sources.hostname}-${sources.pid}`,
    port: env.PORT,
    host: env.HOST || (isDemo ? '127.0.0.1' : '0.0.0.0'),
    adminPort: env.ADMIN_PORT,
    adminHost: env.ADMIN_HOST,
    adminTokenPath: env.ADMIN_TOKEN ? null : sources.adminTokenPath(env.DATA_DIR),
    adminToken: env.ADMIN_TOKEN || sources.adminToken(env.DATA_DIR),
    adminActor: env.ADMIN_ACTOR,
    dataDir: env.DATA_DIR,
    apps: parsed.apps,
    isDemo,
    guard,
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
    shutdownLimitMs: env.SHUTDOWN_LIMIT_MS,
    logLevel: env.LOG_LEVEL,
    warnings: parsed.warnings,
  };
}

/** Reads `KEY`, or the file named by `KEY_FILE` (secrets of an orchestrator), converts numbers, checks each by itself. */
function readEnv(sources: ConfigSources, faults: string[]): Env {
  const env = new Env();
  const defaults = env as unknown as Record<string, unknown>;
  const given: Record<string, unknown> = {};
  for (const key of ENV_KEYS) {
    const text = settingText(sources, key, faults);
    if (text === undefined) continue;
    given[key] = typeof defaults[key] === 'number' ? Number(text) : text;
  }
  const settings = plainToInstance(Env, { ...env, ...given });
  for (const error of validateSync(settings))
    faults.push(`${error.property}: ${Object.values(error.constraints ?? {}).join('; ')}`);
  return settings;
}

const ENV_KEYS: readonly string[] = [
  ...Object.keys(new Env()),
  'ADMIN_TOKEN',
  'WECOM_APPS_FILE',
  'REDIS_URL',
  'ROCKETMQ_ENDPOINTS',
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
  if (env.PORT !== 0 && env.PORT === env.ADMIN_PORT) faults.push('ADMIN_PORT: must not be PORT');
  return faults;
}

/** The engine of wall 1 and what it needs; faults are added to `faults`. */
function readGuard(env: Env, faults: string[]): GuardConfig {
  if (env.GUARD !== 'redis') return { engine: 'embedded' };
  // Whoever runs a real engine means it: made-up credentials would only hide that the real ones are missing.
  if (!env.WECOM_APPS_FILE)
    faults.push('WECOM_APPS_FILE: must be set with GUARD=redis; the demo app is for the embedded engines only');
  const address = env.REDIS_URL ? parseRedisUrl(env.REDIS_URL) : null;
  if (address !== null) return { engine: 'redis', address };
  faults.push(
    env.REDIS_URL
      ? 'REDIS_URL: must be redis://user:password@host:port/db or rediss://…, without options behind a "?"'
      : 'REDIS_URL: must be set with GUARD=redis',
  );
  return { engine: 'embedded' };
}

/** The engine of wall 2 and what it needs; faults are added to `faults`. */
function readTransport(env: Env, faults: string[]): TransportConfig {
  if (env.TRANSPORT !== 'rocketmq') return { engine: 'sqlite' };
  if (!env.WECOM_APPS_FILE)
    faults.push('WECOM_APPS_FILE: must be set with TRANSPORT=rocketmq; the demo app is for the embedded engines only');
  if (env.DLQ_TOPIC !== env.EVENTS_TOPIC && isOneRocketMqName(env.DLQ_TOPIC, env.EVENTS_TOPIC))
    faults.push('DLQ_TOPIC: is EVENTS_TOPIC for RocketMQ, which has hyphens for dots');
  if (env.DLQ_GROUP !== env.EVENTS_GROUP && isOneRocketMqName(env.DLQ_GROUP, env.EVENTS_GROUP))
    faults.push('DLQ_GROUP: is EVENTS_GROUP for RocketMQ, which has hyphens for dots');
  if (env.BODY_BYTES_MAX > ROCKETMQ_CALLBACK_BYTES_MAX)
    faults.push(`BODY_BYTES_MAX: must be at most ${ROCKETMQ_CALLBACK_BYTES_MAX} with TRANSPORT=rocketmq`);
  return readRocketMq(
    {
      endpoints: env.ROCKETMQ_ENDPOINTS,
      namespace: env.ROCKETMQ_NAMESPACE,
      accessKey: env.ROCKETMQ_ACCESS_KEY,
      secretKey: env.ROCKETMQ_SECRET_KEY,
    },
    faults,
  );
}

function readApps(sources: ConfigSources, env: Env): { parsed: ParsedApps; isDemo: boolean } {
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
