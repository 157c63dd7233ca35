import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { Log } from '../../observability/log.js';
import type { Clock, Timer } from '../../runtime/clock.js';
import { driverErrorKind } from '../database-errors.js';
import { SchemaBehindError, schemaState, type SchemaState } from '../schema-state.js';
import type { UnitOfWork } from '../unit-of-work.js';
import { findings, readFacts } from './mysql-checks.js';
import type { MysqlSettings } from './mysql-options.js';

/** The database cannot keep what the service promises. */
export class DatabaseUnfitError extends Error {
  readonly code = 'DATABASE_UNFIT';

  constructor(readonly faults: readonly string[]) {
    super(`the database cannot be worked on: ${faults.join('; ')}`);
    this.name = 'DatabaseUnfitError';
  }
}

/** A database that starts together with the service takes a while; one that is away for longer is for people to see. */
const START_LIMIT_MS = 30_000;
const START_RETRY_MS = 500;

/** The data source, connected. Waits for the server for a while, then rejects with its last error. */
export async function openSource(
  make: () => DataSource,
  clock: Clock,
  limitMs: number = START_LIMIT_MS,
): Promise<DataSource> {
  const deadline = clock.monotonic() + limitMs;
  for (;;) {
    try {
      return await make().initialize();
    } catch (error) {
      // A wrong password or a database that is not there stays wrong, and says so at once.
      if (!isAway(error) || clock.monotonic() >= deadline) throw error;
      await clock.sleep(START_RETRY_MS);
    }
  }
}

/** The same, and refuses a schema that is behind or without the indexes that decide. */
export async function openChecked(
  make: () => DataSource,
  clock: Clock,
  { engine }: Pick<MysqlSettings, 'engine'>,
): Promise<DataSource> {
  const source = await openSource(make, clock);
  const runner = source.createQueryRunner();
  try {
    const { pending } = await schemaState(source, runner);
    if (pending.length > 0) throw new SchemaBehindError(pending);
    const { faults } = findings(await readFacts(runner.manager), engine, 0);
    if (faults.length > 0) throw new DatabaseUnfitError(faults);
    await runner.release();
    return source;
  } catch (error) {
    await runner.release();
    await source.destroy();
    throw error;
  }
}

const FOR_GOOD = new Set([1044, 1045, 1049, 1129, 1130]);

function isAway(error: unknown): boolean {
  const errno = (error as { errno?: unknown }).errno;
  return driverErrorKind(error) === 'unavailable' && !(typeof errno === 'number' && FOR_GOOD.has(errno));
}

const CHECK_EVERY_MS = 60_000;

/**
 * Looks at the server's settings and at the key columns: at start, then every minute. A reconnect may lead to another
 * server, and an operator may change a setting without one; three statements a minute see both.
 */
export class MysqlServerCheck implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: Timer | null = null;
  private found: { since: number; reason: string } | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly unit: UnitOfWork,
    private readonly clock: Clock,
    private readonly log: Pick<Log, 'warn'>,
    private readonly options: { readonly engine: MysqlSettings['engine']; readonly bodyBytesMax: number },
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.look();
    this.timer = this.clock.every(CHECK_EVERY_MS, () => void this.look());
  }

  async onApplicationShutdown(): Promise<void> {
    this.timer?.cancel();
    await this.running;
  }

  /** Null while nothing was found. */
  trouble(): { since: number; reason: string } | null {
    return this.found;
  }

  /** Never rejects: a database that is away is the unit of work's to report, and nothing new is known about it. */
  look(): Promise<void> {
    this.running ??= this.lookOnce()
      .catch(() => undefined)
      .finally(() => (this.running = null));
    return this.running;
  }

  private async lookOnce(): Promise<void> {
    const [{ warnings, faults }, { unknown }] = await this.unit.read(
      async ({ manager }) =>
        [
          findings(await readFacts(manager), this.options.engine, this.options.bodyBytesMax),
          await stateOf(manager),
        ] as const,
    );
    // During a rolling upgrade the older processes go on; a version that was put back sees it as well.
    const ahead = unknown.length > 0 ? [`the schema is newer than this version: ${unknown.join(', ')}`] : [];
    const reason = [...faults, ...warnings, ...ahead].join('; ');
    if (reason !== '' && reason !== this.found?.reason) this.log.warn('database.warned', { reason });
    this.found = reason === '' ? null : { since: this.found?.since ?? this.clock.now(), reason };
  }
}

async function stateOf({ dataSource, queryRunner }: EntityManager): Promise<SchemaState> {
  if (!queryRunner) throw new Error('a read without a connection');
  return schemaState(dataSource, queryRunner);
}
