import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { OutgoingMessage } from './transport.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';

const TOPIC = 'wecom.events';
const GROUP = 'workers';

const transports: SqliteTransport[] = [];

afterEach(async () => {
  for (const transport of transports.splice(0)) await transport.close();
});

function open() {
  const clock = new ManualClock();
  let database!: DatabaseSyncInstance;
  const transport = new SqliteTransport(clock, {
    path: ':memory:',
    groupCommitMax: 1_000,
    defaultComeBackMs: 60_000,
    openDatabase: (file, timeout) => (database = new DatabaseSync(file, { timeout })),
  });
  transports.push(transport);
  transport.open();
  return { transport, database, clock };
}

const one = (body: string): OutgoingMessage[] => [{ orderingKey: 'a', body }];

describe('SqliteTransport in trouble', () => {
  it('finds by itself that it can write again, without any traffic', async () => {
    const { transport, database, clock } = open();
    // An empty transaction still works, as it does on a full disk.
    database.exec("CREATE TRIGGER full BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
    await expect(transport.publish(TOPIC, one('a'))).rejects.toThrow('not acknowledged');
    const since = clock.now();
    await clock.advance(2_500);
    expect(transport.trouble()).toEqual({ since, reason: 'disk is full' });
    database.exec('DROP TRIGGER full');
    await clock.advance(499);
    expect(transport.trouble()).toMatchObject({ since });
    await clock.advance(1);
    expect(transport.trouble()).toBeNull();
    expect(clock.timerCount).toBe(0);
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 0 });
  });

  it.each([0, 1])('finds by itself that it can read again, with %i subscriptions', async (subscriptions) => {
    const { transport, database, clock } = open();
    const subscription = { topic: TOPIC, group: GROUP, batchSizeMax: 1, lanes: 1 };
    if (subscriptions > 0) await transport.subscribe(subscription, async () => undefined);
    await clock.settle();
    database.exec('ALTER TABLE message RENAME TO hidden');
    expect(await transport.backlog('another topic', GROUP)).toEqual({ unsettled: null });
    await clock.advance(2_000);
    expect(transport.trouble()?.reason).toContain('no such table');
    database.exec('ALTER TABLE hidden RENAME TO message');
    await clock.advance(1_000);
    expect(transport.trouble()).toBeNull();
  });

  it('leaves no timer behind when it is closed, whatever fails meanwhile and afterwards', async () => {
    const { transport, database, clock } = open();
    database.exec('PRAGMA query_only = ON');
    await expect(transport.publish(TOPIC, one('a'))).rejects.toThrow('not acknowledged');
    expect(clock.timerCount).toBe(1);
    const last = transport.publish(TOPIC, one('b'));
    await Promise.all([expect(last).rejects.toThrow('not acknowledged'), transport.close()]);
    await transport.backlog(TOPIC, GROUP);
    expect(transport.trouble()).not.toBeNull();
    expect(clock.timerCount).toBe(0);
  });
});
