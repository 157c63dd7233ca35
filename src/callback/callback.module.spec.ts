import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { MemoryDisk } from '../../test/support/memory-disk.js';
import { event, spoolDefaults } from '../../test/support/spool-world.js';
import type { Config } from '../config/config.js';
import { BacklogRegistry } from '../observability/backlog-registry.js';
import { HealthRegistry } from '../observability/health-registry.js';
import { SqliteTransport } from '../transport/sqlite/sqlite-transport.js';
import { CallbackModule } from './callback.module.js';
import { FileSpool } from './file-spool.js';
import { NegativeAnswers } from './negative-answers.js';

/** The module with the real queue and the real spool, both on disks that fail on command. */
async function open() {
  const clock = new ManualClock();
  const disk = new MemoryDisk();
  const health = new HealthRegistry();
  let database!: DatabaseSyncInstance;
  const transport = new SqliteTransport(clock, {
    ...{ path: ':memory:', groupCommitMax: 10, defaultComeBackMs: 1_000 },
    openDatabase: (file, timeout) => (database = new DatabaseSync(file, { timeout })),
  });
  transport.open();
  const spool = new FileSpool(disk, clock, (topic, messages) => transport.publish(topic, messages), spoolDefaults);
  const negative = new NegativeAnswers(clock, {} as Config);
  const module = new CallbackModule(spool, transport, negative, health, new BacklogRegistry());
  await module.onApplicationBootstrap();
  return {
    ...{ clock, disk, spool, database, transport },
    check: () => ({ ready: health.check().ready, ...health.check().parts['spool'] }),
    close: async () => {
      await module.onApplicationShutdown();
      await transport.close();
    },
  };
}

describe('health of the gateway', () => {
  it('stays ready while the queue is away and the spool takes its place', async () => {
    const { clock, spool, database, check, close } = await open();
    expect(check()).toEqual({ ready: true, status: 'up' });
    database.exec('PRAGMA query_only = ON');
    await spool.append(event('a'));
    await clock.advance(2_000);
    expect(check()).toMatchObject({ ready: true, status: 'degraded' });
    database.exec('PRAGMA query_only = OFF');
    await clock.advance(1_000);
    expect(check()).toEqual({ ready: true, status: 'up' });
    await close();
  });

  it('is down while neither takes an event, and ready again by itself when the disk is well', async () => {
    const { clock, disk, spool, database, transport, check, close } = await open();
    database.exec('PRAGMA query_only = ON');
    disk.capacityBytes = 0;
    await expect(transport.publish('wecom.events', [event('a')])).rejects.toThrow('not acknowledged');
    await expect(spool.append(event('a'))).rejects.toThrow('refused');
    await clock.advance(5_000);
    expect(check()).toMatchObject({ ready: false, status: 'down' });
    database.exec('PRAGMA query_only = OFF');
    disk.capacityBytes = 100_000;
    await clock.advance(1_000);
    expect(check()).toEqual({ ready: true, status: 'up' });
    await close();
  });
});
