import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { QueueFileInUseError } from './queue-file-in-use-error.js';

export type OpenDatabase = (path: string, busyTimeoutMs: number) => DatabaseSyncInstance;

export interface QueuedId {
  readonly seq: number;
  readonly topic: string;
  readonly orderingKey: string;
}

export interface QueueFileOptions {
  readonly path: string;
  /** Other processes may publish into the file too. Otherwise this process owns it, and a second one is refused. */
  readonly shared: boolean;
  /** How long a statement waits, blocking the process, for another process's transaction. */
  readonly busyTimeoutMs: number;
  /** Tests pass their own, to make the database fail. */
  readonly openDatabase?: OpenDatabase;
}

const SCHEMA_VERSION = 1;
const SQLITE_BUSY = 5;
const TOPICS_MAX = 100;
// As large as a callback, so that a disk with room for a few bytes only does not pass for a well one.
const PROBE_BODY = 'x'.repeat(2_048);

// BLOB affinity keeps a value as it was bound: any other column type would turn a body of "007" into the number 7.
// The index holds seq as its last part, so it gives the messages of one key in publish order.
const SCHEMA = `
  CREATE TABLE message (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    ordering_key BLOB NOT NULL,
    body BLOB NOT NULL,
    published_at INTEGER NOT NULL
  );
  CREATE INDEX ix_message_topic_ordering_key ON message (topic, ordering_key);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

type Statements = Record<
  'append' | 'remove' | 'scan' | 'scanKey' | 'body' | 'count' | 'topics' | 'dataVersion',
  StatementSyncInstance
>;

/** The queue's table in a file of its own. Every call is synchronous and throws SQLite's error. */
export class SqliteQueueFile {
  private consumerLock: DatabaseSyncInstance | null = null;
  /** Rows of the topics that were counted once: counting a million takes 50 ms, and a health check asks often. */
  private readonly counts = new Map<string, number>();
  /** What the open transaction changes in `counts`. */
  private readonly countChanges = new Map<string, number>();

  private constructor(
    private readonly database: DatabaseSyncInstance,
    private readonly options: QueueFileOptions,
    private readonly statements: Statements,
  ) {}

  static open(options: QueueFileOptions): SqliteQueueFile {
    const database = (options.openDatabase ?? openDatabase)(options.path, options.busyTimeoutMs);
    try {
      prepareFile(database, options.shared);
      return new SqliteQueueFile(database, options, prepareStatements(database));
    } catch (error) {
      closeFile(database, options.shared);
      if (isBusy(error)) throw new QueueFileInUseError(options.path, { cause: error });
      throw error;
    }
  }

  /** Commits what `work` wrote, or throws; after a throw from COMMIT itself it may have been written. */
  transaction(work: () => void): void {
    this.database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.database.exec('COMMIT');
    } catch (error) {
      // SQLite may have rolled back by itself (disk full, I/O error), and then a second ROLLBACK is an error.
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      // After a COMMIT of unknown outcome only the table knows.
      this.counts.clear();
      this.countChanges.clear();
      throw error;
    }
    for (const [topic, change] of this.countChanges) {
      const count = this.counts.get(topic);
      if (count !== undefined) this.counts.set(topic, count + change);
    }
    this.countChanges.clear();
  }

  append(topic: string, orderingKey: string, body: string, publishedAt: number): void {
    this.statements.append.run(topic, bindable(orderingKey), bindable(body), publishedAt);
    this.noteChange(topic, 1);
  }

  /**
   * Inside a transaction: writes what a publish writes and takes it back, so nobody sees it. Both pages are part of the
   * commit all the same, which is what shows whether the disk takes anything.
   */
  probe(): void {
    const { lastInsertRowid } = this.statements.append.run('', '', PROBE_BODY, 0);
    this.statements.remove.run(JSON.stringify([Number(lastInsertRowid)]));
  }

  /** Those that are gone already are passed over. */
  remove(topic: string, seqs: readonly number[]): void {
    const { changes } = this.statements.remove.run(JSON.stringify(seqs));
    this.noteChange(topic, -Number(changes));
  }

  /** Ids behind `afterSeq` in publish order, of all topics: the limit bounds the rows read, not those of one topic. */
  scan(afterSeq: number, limit: number): QueuedId[] {
    const rows = this.statements.scan.all(afterSeq, limit) as { seq: number; topic: string; ordering_key: Stored }[];
    return rows.map((row) => ({ seq: row.seq, topic: row.topic, orderingKey: text(row.ordering_key) }));
  }

  /** The same for one key. */
  scanKey(topic: string, orderingKey: string, afterSeq: number, limit: number): number[] {
    const rows = this.statements.scanKey.all(topic, bindable(orderingKey), afterSeq, limit) as { seq: number }[];
    return rows.map((row) => row.seq);
  }

  /** Undefined when the message is no longer there. */
  body(seq: number): string | undefined {
    const row = this.statements.body.get(seq) as { body: Stored } | undefined;
    return row === undefined ? undefined : text(row.body);
  }

  count(topic: string): number {
    const known = this.counts.get(topic);
    if (known !== undefined) return known;
    const { count } = this.statements.count.get(topic) as { count: number };
    // Other processes change a shared file, so there a count is old as soon as it is known.
    if (!this.options.shared) this.counts.set(topic, count);
    return count;
  }

  /** Topics that hold messages, in code-unit order, up to a limit. It jumps from one to the next: a million rows of one cost one. */
  topics(): string[] {
    return (this.statements.topics.all(TOPICS_MAX) as { topic: string }[]).map(({ topic }) => topic);
  }

  /** Changes when another process has written. */
  dataVersion(): number {
    return (this.statements.dataVersion.get() as { data_version: number }).data_version;
  }

  /**
   * Keeps other processes from consuming out of a shared file; the system frees the lock when this process dies,
   * however it dies, which a row in a table would not do. Throws `QueueFileInUseError`.
   */
  lockForConsuming(): void {
    if (!this.options.shared || this.consumerLock !== null) return;
    const path = `${this.options.path}.consumer`;
    const lock = openDatabase(path, 0);
    try {
      lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw new QueueFileInUseError(path, { cause: error });
    }
    this.consumerLock = lock;
  }

  close(): void {
    this.consumerLock?.close();
    closeFile(this.database, this.options.shared);
  }

  private noteChange(topic: string, change: number): void {
    this.countChanges.set(topic, (this.countChanges.get(topic) ?? 0) + change);
  }
}

/** What SQLite gives back for a text: see `bindable`. */
type Stored = string | Uint8Array;

/** The driver cuts a bound string at its first null byte, silently; as bytes it goes through whole. */
function bindable(value: string): string | Buffer {
  return value.includes('\0') ? Buffer.from(value) : value;
}

function text(stored: Stored): string {
  return typeof stored === 'string' ? stored : Buffer.from(stored).toString();
}

function openDatabase(path: string, busyTimeoutMs: number): DatabaseSyncInstance {
  return new DatabaseSync(path, { timeout: busyTimeoutMs });
}

function prepareFile(database: DatabaseSyncInstance, shared: boolean): void {
  // 8 KB holds seven callbacks of 1 KB; measured, 4 KB costs a quarter more CPU a message, 16 KB more for one at a time.
  database.exec('PRAGMA page_size = 8192');
  if (!shared) database.exec('PRAGMA locking_mode = EXCLUSIVE');
  // FULL syncs the log at every commit. NORMAL, the usual companion of WAL, loses acknowledged events at a power cut.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864');
  const { user_version: version } = database.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version === 0) database.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
  else if (version !== SCHEMA_VERSION) throw new Error(`the queue file has version ${version}, not ${SCHEMA_VERSION}`);
}

/**
 * The driver's close leaves prepared statements, and with them the lock on the file, to the garbage collector. Leaving
 * the write-ahead log gives the lock back now, so that the file can be opened again, and folds the log into the file.
 */
function closeFile(database: DatabaseSyncInstance, shared: boolean): void {
  try {
    if (!shared)
      database.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema');
  } catch {
    // A full or broken disk: the log stays and the next open reads it.
  } finally {
    database.close();
  }
}

function prepareStatements(database: DatabaseSyncInstance): Statements {
  return {
    append: database.prepare('INSERT INTO message (topic, ordering_key, body, published_at) VALUES (?, ?, ?, ?)'),
    remove: database.prepare('DELETE FROM message WHERE seq IN (SELECT value FROM json_each(?))'),
    scan: database.prepare('SELECT seq, topic, ordering_key FROM message WHERE seq > ? ORDER BY seq LIMIT ?'),
    scanKey: database.prepare(
      'SELECT seq FROM message WHERE topic = ? AND ordering_key = ? AND seq > ? ORDER BY seq LIMIT ?',
    ),
    body: database.prepare('SELECT body FROM message WHERE seq = ?'),
    count: database.prepare('SELECT count(*) AS count FROM message WHERE topic = ?'),
    topics: database.prepare(`
      WITH RECURSIVE found(topic) AS (
        SELECT min(topic) FROM message
        UNION ALL SELECT (SELECT min(topic) FROM message WHERE topic > found.topic) FROM found WHERE topic IS NOT NULL)
      SELECT topic FROM found WHERE topic IS NOT NULL LIMIT ?`),
    dataVersion: database.prepare('PRAGMA data_version'),
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && (error as { errcode?: number }).errcode === SQLITE_BUSY;
}
