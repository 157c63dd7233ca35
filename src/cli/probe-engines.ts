import { accessSync, constants, existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { partsOf } from '../config/roles.js';
import { driverErrorKind } from '../database/database-errors.js';
import { openGuard } from '../idempotency/idempotency.module.js';
import { migrateGateway } from '../migrate-gateway.js';
import { Log } from '../observability/log.js';
import { createLogger } from '../observability/logger.js';
import { SystemDisk } from '../runtime/system-disk.js';
import { TimeLimitError, within } from '../runtime/within.js';
import { openTransport } from '../transport/transport.module.js';
import type { Probe } from './check.js';
import type { CliContext } from './cli-context.js';

type Result = Omit<Probe, 'part'>;

const KAFKA_POLL_MS = 100;
/** So that a client which found nobody is closed before the process ends; the native one may hang there otherwise. */
const CLOSE_MS = 1_500;
const NO_CONNECTION = /^E(?:CONN|HOST|NET|AI_|NOTFOUND|TIMEDOUT)/;

/** Wrong password, no right to the database, no such database: the server is there. */
const ACCESS_DENIED = new Set([1044, 1045, 1049]);

/** Each engine that the role has is tried side by side, for at most `timeoutMs`. Nothing is written or created there. */
export async function probeEngines({ clock }: CliContext, config: Config, timeoutMs: number): Promise<Probe[]> {
  const { database, transport } = partsOf(config.role);
  const log = new Log(createLogger('silent', config.instance));
  const tries: [string, () => Promise<Result>][] = [
    ['data', async () => probeFolder(config.dataDir)],
    ...(database ? [['database', () => probeDatabase(config)] as [string, () => Promise<Result>]] : []),
    ...(transport
      ? [['transport', () => probeTransport(config, clock, log, timeoutMs)] as [string, () => Promise<Result>]]
      : []),
    ...(transport ? [['guard', () => probeGuard(config, clock, log)] as [string, () => Promise<Result>]] : []),
  ];
  return Promise.all(
    tries.map(async ([part, attempt]) => {
      try {
        return { part, ...(await within(clock, timeoutMs, part, attempt())) };
      } catch (error) {
        return { part, ...failure(error) };
      }
    }),
  );
}

function failure(error: unknown): Result {
  const { code, errno, message } = error as { code?: unknown; errno?: unknown; message?: unknown };
  const isDenied = typeof errno === 'number' && ACCESS_DENIED.has(errno);
  const isNoConnection = typeof code === 'string' && NO_CONNECTION.test(code);
  const isAway =
    error instanceof TimeLimitError || isNoConnection || (driverErrorKind(error) === 'unavailable' && !isDenied);
  const reason = [code, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  return { result: isAway ? 'unreachable' : 'wrong', reason: reason || String(error) };
}

function probeFolder(dataDir: string): Result {
  let folder = resolve(dataDir);
  // What is missing is made by the start, as far up as it has to be.
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return { result: 'ok', reason: folder === resolve(dataDir) ? 'can be written' : `can be made in ${folder}` };
  } catch {
    return { result: 'wrong', reason: `${folder} cannot be written by this user` };
  }
}

/** Logs in and reads which migrations were run. */
async function probeDatabase(config: Config): Promise<Result> {
  const made = join(config.dataDir, 'wecom.sqlite');
  // Not even a look may make the folder.
  if (config.store.engine === 'sqlite' && !existsSync(made)) return { result: 'ok', reason: 'is made at the start' };
  const { pending, unknown } = await migrateGateway({ config, action: 'status' });
  const isEmbedded = config.store.engine === 'sqlite';
  if (pending.length > 0 && !isEmbedded)
    return { result: 'wrong', reason: `SCHEMA_BEHIND: ${pending.length} migration(s) are lacking; run migrate` };
  if (unknown.length > 0) return { result: 'ok', reason: `its tables are ahead of this version by ${unknown.length}` };
  return {
    result: 'ok',
    reason: pending.length > 0 ? 'its tables are made at the start' : 'its tables are up to date',
  };
}

async function probeTransport(
  config: Config,
  clock: CliContext['clock'],
  log: Log,
  timeoutMs: number,
): Promise<Result> {
  const { transport } = config;
  // The file belongs to the process that runs on it; the folder was looked at.
  if (transport.engine === 'sqlite') return { result: 'ok', reason: 'a file in the data folder' };
  const looking =
    transport.engine === 'kafka' ? { ...transport, topics: { ...transport.topics, create: false } } : transport;
  const opened = await openTransport({ config: { ...config, transport: looking }, clock, log });
  try {
    // The proxy tells nothing before something is sent, so that it takes a connection has to do.
    if (transport.engine === 'rocketmq') await anyAnswers(transport.endpoints.split(';'), timeoutMs);
    // Kafka connects behind the opening, and tells its backlog once it has; RocketMQ waits by itself and never tells.
    const isConnected = async (): Promise<boolean> =>
      transport.engine !== 'kafka' ||
      (await opened.transport.backlog(config.eventsTopic, config.eventsGroup)).unsettled !== null;
    const deadline = clock.monotonic() + timeoutMs - CLOSE_MS;
    // Topics that are not there have no backlog; they show as a warning.
    const isToldOf = (): boolean => opened.transport.trouble() !== null || opened.check().status !== 'up';
    while (!isToldOf() && !(await isConnected())) {
      if (clock.monotonic() >= deadline) return { result: 'unreachable', reason: `no answer within ${timeoutMs} ms` };
      await clock.sleep(KAFKA_POLL_MS);
    }
    const trouble = opened.transport.trouble();
    if (trouble) return { result: 'unreachable', reason: trouble.reason };
    const { status, reason } = opened.check();
    if (transport.engine === 'kafka' && transport.topics.create && areMissing(reason))
      return { result: 'ok', reason: 'answers; its topics are made at the start' };
    const answers = transport.engine === 'rocketmq' ? 'takes connections; topics show at the start' : 'answers';
    return status === 'up' ? { result: 'ok', reason: answers } : { result: 'wrong', reason: reason ?? status };
  } finally {
    await opened.transport.close().catch(() => undefined);
  }
}

/** In the words of librdkafka, one topic after another. */
function areMissing(reason: string | undefined): boolean {
  return (reason ?? '').split('; ').every((one) => one.endsWith('Unknown topic or partition'));
}

async function probeGuard(config: Config, clock: CliContext['clock'], log: Log): Promise<Result> {
  if (config.guard.engine === 'embedded') return { result: 'ok', reason: 'in memory' };
  const guard = await openGuard(config, clock, new SystemDisk(), log);
  try {
    const trouble = guard.trouble();
    return trouble ? { result: 'unreachable', reason: trouble.reason } : { result: 'ok', reason: 'answers' };
  } finally {
    await guard.close();
  }
}

/** Resolves when one of these `host:port` takes a connection; rejects with what the last one says. */
async function anyAnswers(addresses: readonly string[], timeoutMs: number): Promise<void> {
  await Promise.any(addresses.map((address) => answers(address, timeoutMs))).catch((error: AggregateError) => {
    throw error.errors[0];
  });
}

function answers(address: string, timeoutMs: number): Promise<void> {
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  return new Promise((done, failed) => {
    const socket = connect({ host, port: Number(port), timeout: timeoutMs });
    socket.once('connect', () => {
      socket.destroy();
      done();
    });
    socket.once('timeout', () => socket.destroy(new TimeLimitError(address, timeoutMs)));
    socket.once('error', failed);
  });
}
