import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Another process has this data; two of them would each believe to be the only one. */
export class DataFolderInUseError extends Error {
  readonly code = 'DATA_FOLDER_IN_USE';

  constructor(folder: string, holder: string, options: { cause: unknown }) {
    super(`the data in ${folder} is in use by ${holder}: stop it first, or give this one another DATA_DIR`, options);
    this.name = 'DataFolderInUseError';
  }
}

/**
 * One process a data folder. The lock is SQLite's own on a file of its own, so the system releases it when the process
 * dies, however it dies; a file with a process id would outlive a `kill -9`.
 */
export class DataFolderLock {
  private constructor(private readonly database: DatabaseSyncInstance) {}

  static take(dataDir: string, holder: string): DataFolderLock {
    const folder = resolve(dataDir);
    mkdirSync(folder, { recursive: true });
    const database = new DatabaseSync(join(folder, 'lock.sqlite'), { timeout: 0 });
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
    } catch (cause) {
      database.close();
      throw new DataFolderInUseError(folder, readHolder(folder), { cause });
    }
    writeFileSync(join(folder, 'lock.holder'), `${holder}\n`);
    return new DataFolderLock(database);
  }

  release(): void {
    this.database.close();
  }
}

function readHolder(folder: string): string {
  try {
    return readFileSync(join(folder, 'lock.holder'), 'utf8').trim();
  } catch {
    return 'another process';
  }
}
