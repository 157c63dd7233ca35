import type { EntityManager } from 'typeorm';
import type { MysqlSettings } from './mysql-options.js';

/** What a look at the server and its tables found. */
export interface Findings {
  /** The service works, and promises less than it could. */
  readonly warnings: readonly string[];
  /** A promise is gone: not to be started on. */
  readonly faults: readonly string[];
}

export interface ServerFacts {
  readonly variables: ReadonlyMap<string, string>;
  readonly columns: readonly ColumnFacts[];
  readonly uniqueIndexes: readonly UniqueIndex[];
}

export interface ColumnFacts {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly collation: string | null;
  readonly isNullable: boolean;
}

export interface UniqueIndex {
  readonly table: string;
  readonly columns: readonly string[];
  /** Of the first characters only: it would take two long keys for one. */
  readonly isPrefix: boolean;
}

/** What decides duplicates (protocol.md, "Identity of an event"). */
const UNIQUE_KEYS: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ['event_log', ['corp_id', 'event_type', 'msg_id_or_hash']],
  ['saga', ['receiver', 'corp_id', 'entity_type', 'entity_id']],
  ['outbox', ['idempotency_key']],
];
const OTHER_KEYS: Readonly<Record<string, readonly string[]>> = { event_log: ['entity_key'], saga: ['entity_key'] };
const VARIABLES = [
  ...['version', 'tx_isolation', 'transaction_isolation', 'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog'],
  ...['innodb_rollback_on_timeout', 'max_allowed_packet', 'innodb_doublewrite'],
];
const VERSION_MIN = { mysql: [8, 0], mariadb: [10, 6] } as const;
/** Escaping may double what a text takes, and a statement holds more than one text. */
const PACKET_PER_BODY = 4;

/** Reads what `findings` judges. Three statements, none of which touches a row of ours. */
export async function readFacts(manager: EntityManager): Promise<ServerFacts> {
  const names = VARIABLES.map((name) => `'${name}'`).join(', ');
  type Row = Readonly<Record<string, string | number | null>>;
  const variables = await manager.query<Row[]>(`SHOW SESSION VARIABLES WHERE Variable_name IN (${names})`);
  const tables = UNIQUE_KEYS.map(([table]) => `'${table}'`).join(', ');
  const columns = await manager.query<Row[]>(
    `SELECT TABLE_NAME AS t, COLUMN_NAME AS c, DATA_TYPE AS type, COLLATION_NAME AS collation, IS_NULLABLE AS nullable
      FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (${tables})`,
  );
  const indexes = await manager.query<Row[]>(
    `SELECT TABLE_NAME AS t, INDEX_NAME AS name, COLUMN_NAME AS c, SUB_PART AS part
      FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0 AND TABLE_NAME IN (${tables})
      ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
  );
  const byName = new Map<string, { table: string; columns: string[]; isPrefix: boolean }>();
  for (const { t, name, c, part } of indexes) {
    const index = byName.get(`${t} ${name}`) ?? { table: String(t), columns: [], isPrefix: false };
    index.columns.push(String(c));
    if (part !== null) index.isPrefix = true;
    byName.set(`${t} ${name}`, index);
  }
  return {
    variables: new Map(variables.map((row) => [String(row['Variable_name']), String(row['Value'])])),
    columns: columns.map(({ t, c, type, collation, nullable }) => ({
      ...{ table: String(t), column: String(c), type: String(type).toLowerCase() },
      ...{ collation: collation === null ? null : String(collation), isNullable: nullable === 'YES' },
    })),
    uniqueIndexes: [...byName.values()],
  };
}

/** Judges what was read. Pure. */
export function findings(facts: ServerFacts, engine: MysqlSettings['engine'], bodyBytesMax: number): Findings {
  return {
    warnings: [...serverWarnings(facts.variables, engine, bodyBytesMax), ...columnWarnings(facts.columns)],
    faults: [...engineFaults(facts.variables, engine), ...keyFaults(facts)],
  };
}

function engineFaults(variables: ServerFacts['variables'], engine: MysqlSettings['engine']): string[] {
  const version = variables.get('version') ?? '';
  const actual = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
  // TypeORM writes statements for one that the other does not take.
  return actual === engine ? [] : [`STORE=${engine}, but the server is ${actual} ${version}: set STORE=${actual}`];
}

/** An index that is gone, or a NULL in it, lets the same event in twice. */
function keyFaults({ columns, uniqueIndexes }: ServerFacts): string[] {
  const faults: string[] = [];
  for (const [table, key] of UNIQUE_KEYS) {
    const isThere = uniqueIndexes.some(
      (index) => index.table === table && !index.isPrefix && index.columns.join() === key.join(),
    );
    if (!isThere) faults.push(`${table} has no unique index on (${key.join(', ')})`);
    for (const { column } of columns.filter((one) => one.table === table && key.includes(one.column) && one.isNullable))
      faults.push(`${table}.${column} may be NULL, and a NULL in a unique key protects nothing`);
  }
  return faults;
}

function columnWarnings(columns: ServerFacts['columns']): string[] {
  const keys = new Set(UNIQUE_KEYS.flatMap(([table, key]) => key.map((column) => `${table}.${column}`)));
  for (const [table, key] of Object.entries(OTHER_KEYS)) for (const column of key) keys.add(`${table}.${column}`);
  const merging = columns.filter((one) => keys.has(`${one.table}.${one.column}`) && !isExact(one));
  return merging.map(
    ({ table, column, collation }) => `${table}.${column} takes different keys for one: collation ${collation}`,
  );
}

/** Whether two texts that differ in case, in an accent or in trailing blanks differ there as well. */
function isExact({ type, collation }: ColumnFacts): boolean {
  return type === 'varbinary' || type === 'binary' || /(?:_nopad_bin|_0900_bin)$/.test(collation ?? '');
}

function serverWarnings(
  variables: ServerFacts['variables'],
  engine: MysqlSettings['engine'],
  bodyBytesMax: number,
): string[] {
  const warnings: string[] = [];
  const is = (name: string, wanted: string): boolean => (variables.get(name) ?? wanted) === wanted;
  const isolation = variables.get('transaction_isolation') ?? variables.get('tx_isolation') ?? '';
  if (isolation !== 'READ-COMMITTED')
    warnings.push(`the session’s isolation is ${isolation}: a proxy between seems to drop settings of sessions`);
  if (!is('innodb_flush_log_at_trx_commit', '1'))
    warnings.push('innodb_flush_log_at_trx_commit is not 1: a crash of the server loses what it has committed');
  if (is('log_bin', 'ON') && variables.has('log_bin') && !is('sync_binlog', '1'))
    warnings.push('sync_binlog is not 1: a crash of the server loses what replicas would have got');
  if (!is('innodb_doublewrite', 'ON') && !is('innodb_doublewrite', '1'))
    warnings.push('innodb_doublewrite is off: a power cut can tear a page');
  const packet = Number(variables.get('max_allowed_packet') ?? Infinity);
  if (packet < bodyBytesMax * PACKET_PER_BODY)
    warnings.push(`max_allowed_packet is ${packet}: less than ${PACKET_PER_BODY} times BODY_BYTES_MAX`);
  const [major = 0, minor = 0] = (variables.get('version') ?? '').split('.').map(Number);
  const [wantedMajor, wantedMinor] = VERSION_MIN[engine];
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor))
    warnings.push(`${engine} ${variables.get('version')} is older than ${wantedMajor}.${wantedMinor}`);
  return warnings;
}
