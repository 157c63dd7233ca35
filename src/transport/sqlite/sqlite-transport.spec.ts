import { DatabaseSync } from '@photostructure/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { Delivery, OutgoingMessage } from '../transport.js';
import { SqliteTransport, type SqliteTransportOptions } from './sqlite-transport.js';

const TOPIC = 'wecom.events';
const GROUP = 'workers';
const DEADLINE_MS = 15_000;

let folder: string;
let path: string;
const transports: SqliteTransport[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wecom-sqlite-'));
  path = join(folder, 'queue.db');
});

afterEach(async () => {
  for (const transport of transports) await transport.close();
  transports.length = 0;
  rmSync(folder, { recursive: true });
});

/** The real database, told what to do around its statements. */
class WatchedDatabase extends DatabaseSync {
  after: (sql: string) => void = () => undefined;

  override exec(sql: string): void {
    super.exec(sql);
    this.after?.(sql);
  }
}

function open(options: Partial<SqliteTransportOptions> = {}) {
  const clock = new ManualClock();
  let database!: WatchedDatabase;
  const transport = new SqliteTransport(clock, {
    path,
    groupCommitMax: 1_000,
    defaultComeBackMs: 1_000,
    openDatabase: (file, timeout) => (database = new WatchedDatabase(file, { timeout })),
    ...options,
  });
  transports.push(transport);
  transport.open();
  return { transport, database, clock };
}

const one = (orderingKey: string, body = orderingKey): OutgoingMessage[] => [{ orderingKey, body }];
const subscription = (batchSizeMax: number, lanes: number) => ({ topic: TOPIC, group: GROUP, batchSizeMax, lanes });

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition did not come');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('SqliteTransport', () => {
  it('commits the publishes and the settles of one turn together', async () => {
    const { transport, database } = open();
    let commits = 0;
    database.after = (sql) => void (commits += sql === 'COMMIT' ? 1 : 0);
    const held: Delivery[] = [];
    await transport.subscribe(subscription(10, 1), async (batch) => {
      held.push(...batch);
      await new Promise((resolve) => batch[0]!.signal.addEventListener('abort', resolve));
    });
    await Promise.all(['a', 'b', 'c'].map((key) => transport.publish(TOPIC, one(key))));
    expect(commits).toBe(1);
    await until(() => held.length === 3);
    await Promise.all([...held.map((delivery) => delivery.settle()), transport.publish(TOPIC, one('d'))]);
    expect(commits).toBe(2);
  });

  it('delivers at once what is published in the same process, without waiting for any time to pass', async () => {
    const { transport, clock } = open();
    let delivered = 0;
    await transport.subscribe(subscription(10, 1), async (batch) => {
      delivered += batch.length;
      await Promise.all(batch.map((delivery) => delivery.settle()));
    });
    await clock.settle();
    await transport.publish(TOPIC, one('a'));
    await clock.settle();
    expect(delivered).toBe(1);
    expect(clock.timerCount).toBe(0);
  });

  it('delivers again exactly when the delay is over', async () => {
    const { transport, clock } = open();
    let delivered = 0;
    await transport.subscribe(subscription(10, 1), async ([delivery]) => {
      delivered += 1;
      if (delivered === 1) await delivery!.comeBack(5_000);
      else if (delivered === 3) await delivery!.settle();
    });
    await transport.publish(TOPIC, one('a'));
    await clock.advance(4_999);
    expect(delivered).toBe(1);
    await clock.advance(1);
    expect(delivered).toBe(2);
    await clock.advance(999);
    expect(delivered).toBe(2);
    await clock.advance(1);
    expect(delivered).toBe(3);
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 0 });
  });

  it('rejects a publish when the disk is full, says so, and goes on when there is room again', async () => {
    const { transport, database } = open();
    await transport.publish(TOPIC, one('a'));
    database.exec('PRAGMA max_page_count = 8');
    const large = transport.publish(TOPIC, one('a', 'x'.repeat(200_000)));
    await expect(large).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED', cause: { errcode: 13 } });
    expect(transport.trouble()?.reason).toContain('full');
    database.exec('PRAGMA max_page_count = 100000');
    await transport.publish(TOPIC, one('a'));
    expect(transport.trouble()).toBeNull();
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 2 });
  });

  it('delivers what a commit has written although its answer was an error', async () => {
    const { transport, database, clock } = open();
    const bodies: string[] = [];
    await transport.subscribe(subscription(10, 1), async (batch) => {
      bodies.push(...batch.map(({ body }) => body));
      await Promise.all(batch.map((delivery) => delivery.settle()));
    });
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 0 });
    database.after = (sql) => {
      if (sql === 'COMMIT') throw new Error('disk I/O error');
    };
    await expect(transport.publish(TOPIC, one('a', 'lost answer'))).rejects.toThrow('not acknowledged');
    database.after = () => undefined;
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 1 });
    await transport.publish(TOPIC, one('a', 'next'));
    await clock.settle();
    await until(() => bodies.length === 2);
    expect(bodies).toEqual(['lost answer', 'next']);
  });

  it('rejects a settle that could not be written, and delivers the message again', async () => {
    const { transport, database, clock } = open();
    const answers: string[] = [];
    await transport.publish(TOPIC, [...one('a', 'a1'), ...one('a', 'a2')]);
    database.exec('PRAGMA query_only = ON');
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      const answer = await delivery!.settle().then(
        () => 'settled',
        (error: { code: string }) => error.code,
      );
      answers.push(`${delivery!.body} ${answer}`);
    });
    await until(() => answers.length === 1);
    database.exec('PRAGMA query_only = OFF');
    await clock.advance(1_000);
    await until(() => answers.length === 3);
    expect(answers).toEqual(['a1 TRANSPORT_SETTLE_FAILED', 'a1 settled', 'a2 settled']);
  });

  it('outlives a consumer that does not wait for a settle that fails', async () => {
    const { transport, database, clock } = open();
    let delivered = 0;
    await transport.publish(TOPIC, one('a'));
    database.exec('PRAGMA query_only = ON');
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      delivered += 1;
      void delivery!.settle();
    });
    await until(() => transport.trouble() !== null);
    database.exec('PRAGMA query_only = OFF');
    await clock.advance(1_000);
    expect(delivered).toBe(2);
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 0 });
  });

  it('writes what was settled before a stop, however short its limit', async () => {
    const { transport } = open();
    const stops: Promise<void>[] = [];
    const running = await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      void delivery!.settle();
      stops.push(running.stop(0));
    });
    await transport.publish(TOPIC, one('a'));
    await until(() => stops.length === 1);
    await stops[0];
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 0 });
  });

  it('says that it cannot read, and goes on by itself when it can', async () => {
    const { transport, database, clock } = open();
    const bodies: string[] = [];
    await transport.publish(TOPIC, one('a'));
    database.exec('ALTER TABLE message RENAME TO hidden');
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      bodies.push(delivery!.body);
      await delivery!.settle();
    });
    await until(() => transport.trouble() !== null);
    expect(transport.trouble()?.reason).toContain('no such table');
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: null });
    database.exec('ALTER TABLE hidden RENAME TO message');
    await clock.advance(1_000);
    await until(() => bodies.length === 1);
    expect(transport.trouble()).toBeNull();
  });

  it('passes over a message that somebody removed from the table', async () => {
    const { transport, database } = open();
    const bodies: string[] = [];
    await transport.publish(TOPIC, [...one('a', 'a1'), ...one('a', 'a2'), ...one('a', 'a3')]);
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      if (delivery!.body === 'a1') database.exec("DELETE FROM message WHERE body = 'a2'");
      bodies.push(delivery!.body);
      await delivery!.settle();
    });
    await until(() => bodies.length === 2);
    expect(bodies).toEqual(['a1', 'a3']);
  });

  it('counts the backlog of each topic, what is in hand included', async () => {
    const { transport } = open();
    await transport.publish(TOPIC, [...one('a'), ...one('b')]);
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 2 });
    await transport.publish('wecom.events.dlq', one('a'));
    await transport.publish(TOPIC, one('c'));
    let inHand: Delivery | null = null;
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      inHand = delivery!;
      await new Promise((resolve) => delivery!.signal.addEventListener('abort', resolve));
    });
    await until(() => inHand !== null);
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 3 });
    await inHand!.settle();
    expect(await transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 2 });
    expect(await transport.backlog('wecom.events.dlq', GROUP)).toEqual({ unsettled: 1 });
  });

  it('refuses to settle what its consumer left undecided when it returned', async () => {
    const { transport, clock } = open();
    const deliveries: Delivery[] = [];
    await transport.subscribe(subscription(1, 1), async ([delivery]) => {
      deliveries.push(delivery!);
    });
    await transport.publish(TOPIC, one('a'));
    await clock.settle();
    await expect(deliveries[0]!.settle()).rejects.toMatchObject({ code: 'TRANSPORT_LANE_TAKEN_AWAY' });
    // Nobody waits for this one: its rejection must not end the process.
    void deliveries[0]!.settle();
    expect(deliveries[0]!.signal.aborted).toBe(true);
    await clock.advance(1_000);
    expect(deliveries).toHaveLength(2);
  });

  it('leaves no timer behind when it is closed while a message waits to come back', async () => {
    const { transport, clock } = open();
    await transport.subscribe(subscription(1, 1), async () => undefined);
    await transport.publish(TOPIC, one('a'));
    await clock.settle();
    expect(clock.timerCount).toBe(1);
    await transport.close();
    expect(clock.timerCount).toBe(0);
  });

  it('refuses a second subscription of a topic, and another group even after the first has stopped', async () => {
    const { transport } = open();
    const nothing = async (): Promise<void> => undefined;
    const first = await transport.subscribe(subscription(1, 1), nothing);
    await expect(transport.subscribe(subscription(1, 1), nothing)).rejects.toThrow('ask for more lanes');
    await first.stop(0);
    const other = transport.subscribe({ ...subscription(1, 1), group: 'other' }, nothing);
    await expect(other).rejects.toThrow('one group a topic, and workers has this one');
    await transport.subscribe(subscription(1, 1), nothing);
  });

  it('refuses a publish before it is open', async () => {
    const transport = new SqliteTransport(new ManualClock(), { path, groupCommitMax: 1, defaultComeBackMs: 1 });
    await expect(transport.publish(TOPIC, one('a'))).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    await transport.close();
  });
});

describe('SqliteTransport on a file that other processes publish into', () => {
  it('finds what another process published, and counts it', async () => {
    const consumer = open({ pollEveryMs: 100 });
    const gateway = open({ pollEveryMs: 100 });
    const bodies: string[] = [];
    await consumer.transport.subscribe(subscription(10, 1), async (batch) => {
      bodies.push(...batch.map(({ body }) => body));
    });
    await consumer.clock.advance(100);
    await gateway.transport.publish(TOPIC, one('a'));
    expect(bodies).toEqual([]);
    await consumer.clock.advance(100);
    expect(bodies).toEqual(['a']);
    expect(await consumer.transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 1 });
    await gateway.transport.publish(TOPIC, one('b'));
    expect(await consumer.transport.backlog(TOPIC, GROUP)).toEqual({ unsettled: 2 });
    const secondConsumer = gateway.transport.subscribe(subscription(10, 1), async () => undefined);
    await expect(secondConsumer).rejects.toMatchObject({ code: 'TRANSPORT_FILE_IN_USE' });
  });
});
