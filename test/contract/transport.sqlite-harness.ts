import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SqliteTransport } from '../../src/transport/sqlite/sqlite-transport.js';
import type { Transport } from '../../src/transport/transport.js';
import type { TransportFeatures, TransportHarness } from './transport.suite.js';

export const sqliteFeatures: TransportFeatures = {
  secondGroup: false,
  takeover: false,
  settleIsDurable: true,
  visibilityMs: null,
  bodyBytesMax: 900_000,
};

/** A crash is a copy of the files as they lie there while the old instance still has them open. */
export class SqliteHarness implements TransportHarness {
  readonly features = sqliteFeatures;
  private readonly folder = mkdtempSync(join(tmpdir(), 'wecom-queue-'));
  private readonly instances: SqliteTransport[] = [];
  private database: DatabaseSyncInstance | null = null;

  constructor(readonly patienceMs = 15_000) {}

  make(): Promise<Transport> {
    return this.open();
  }

  async reopen(): Promise<Transport> {
    const before = this.path(this.instances.length - 1);
    const after = this.path(this.instances.length);
    for (const suffix of ['', '-wal']) {
      if (existsSync(before + suffix)) copyFileSync(before + suffix, after + suffix);
    }
    return this.open();
  }

  async fail(): Promise<void> {
    this.database!.exec('PRAGMA query_only = ON');
  }

  async heal(): Promise<void> {
    this.database!.exec('PRAGMA query_only = OFF');
  }

  async close(): Promise<void> {
    for (const instance of this.instances) await instance.close();
    rmSync(this.folder, { recursive: true });
  }

  private async open(): Promise<Transport> {
    const transport = new SqliteTransport(new SystemClock(), {
      path: this.path(this.instances.length),
      groupCommitMax: 500,
      defaultComeBackMs: 20,
      openDatabase: (path, timeout) => (this.database = new DatabaseSync(path, { timeout })),
    });
    this.instances.push(transport);
    transport.open();
    return transport;
  }

  private path(instance: number): string {
    return join(this.folder, `queue-${instance}.db`);
  }
}
