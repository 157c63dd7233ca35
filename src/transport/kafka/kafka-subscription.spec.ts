import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { until } from '../../../test/support/until.js';
import type { Delivery } from '../transport.js';
import { Trouble } from '../trouble.js';
import type { ClientRecord, KafkaClient, PartitionName, PartitionOffset } from './kafka-client.js';
import { KafkaSubscription } from './kafka-subscription.js';

const [ASSIGN, REVOKE] = [-175, -174];
const CODES = { ERR__ASSIGN_PARTITIONS: ASSIGN, ERR__REVOKE_PARTITIONS: REVOKE, ERR__FATAL: -150 };
const REVOKE_LIMIT_MS = 5_000;

type Settings = Record<string, (...args: unknown[]) => void>;

/** A group of one member and two partitions, whose broker is the test. Writes down what it is told. */
class ScriptedConsumer {
  static latest: ScriptedConsumer | null = null;
  readonly told: string[] = [];
  isLost = false;
  private queue: ClientRecord[] = [];

  constructor(private readonly settings: Settings) {
    ScriptedConsumer.latest = this;
  }

  connect(_options: unknown, callback: (error: null, metadata: unknown) => void): void {
    callback(null, {});
  }

  on(): void {}
  setDefaultConsumeTimeout(): void {}
  setDefaultIsTimeoutOnlyForFirstMessage(): void {}

  subscribe(topics: readonly string[]): void {
    this.told.push(`subscribe ${topics.join()}`);
  }

  consume(_max: number, callback: (error: null, records: readonly ClientRecord[]) => void): void {
    const records = this.queue;
    this.queue = [];
    setImmediate(() => callback(null, records));
  }

  assignmentLost(): boolean {
    return this.isLost;
  }

  incrementalAssign(partitions: readonly PartitionName[]): void {
    this.told.push(`assign ${partitions.map(({ partition }) => partition).join()}`);
  }

  incrementalUnassign(partitions: readonly PartitionName[]): void {
    this.told.push(`unassign ${partitions.map(({ partition }) => partition).join()}`);
  }

  unassign(): void {
    this.told.push('unassign all');
  }

  pause(): void {
    this.told.push('pause');
  }

  resume(): void {
    this.told.push('resume');
  }

  commit(offsets: readonly PartitionOffset[]): void {
    this.told.push(`commit ${offsets.map(({ partition, offset }) => `${partition}:${offset}`).join()}`);
    this.settings['offset_commit_cb']!(null, offsets);
  }

  commitCb(offsets: readonly PartitionOffset[], callback: (error: null) => void): void {
    this.told.push(`last commit ${offsets.map(({ partition, offset }) => `${partition}:${offset}`).join()}`);
    callback(null);
  }

  disconnect(callback: () => void): void {
    this.told.push('leave');
    callback();
  }

  rebalance(code: number, ...partitions: number[]): void {
    const names = partitions.map((partition) => ({ topic: 't', partition }));
    this.settings['rebalance_cb']!(Object.assign(new Error('rebalance'), { code }), names);
  }

  bring(partition: number, ...records: [offset: number, key: string][]): void {
    for (const [offset, key] of records) {
      const value = Buffer.from(`${key}@${offset}`);
      this.queue.push({ topic: 't', partition, offset, key: Buffer.from(key), value, size: value.length });
    }
    this.settings['queue_non_empty_cb']!();
  }
}

const client = { KafkaConsumer: ScriptedConsumer, CODES: { ERRORS: CODES } } as unknown as KafkaClient;

describe('KafkaSubscription', () => {
  let clock: ManualClock;
  let subscription: KafkaSubscription;
  let group: ScriptedConsumer;
  let inHand: Delivery[];
  let returns: (() => void)[];

  beforeEach(async () => {
    ScriptedConsumer.latest = null;
    clock = new ManualClock();
    [inHand, returns] = [[], []];
    const trouble = new Trouble(clock, () => undefined);
    const parts = { client, clock, trouble, settings: {}, defaultComeBackMs: 20, revokeLimitMs: REVOKE_LIMIT_MS };
    subscription = new KafkaSubscription(parts, { topic: 't', group: 'g', batchSizeMax: 10, lanes: 2 }, (batch) => {
      inHand.push(...batch);
      return new Promise((done) => returns.push(done));
    });
    subscription.start(Promise.resolve());
    await until(() => ScriptedConsumer.latest?.told.includes('subscribe t') === true);
    group = ScriptedConsumer.latest!;
    group.rebalance(ASSIGN, 0, 1);
    await told('assign 0,1');
  });
  afterEach(async () => {
    for (const done of returns) done();
    await subscription.stop(0);
  });

  const told = (what: string): Promise<void> => until(() => group.told.includes(what), 2_000, `told: ${what}`);
  const settleAll = (): Promise<unknown> => Promise.all(inHand.splice(0).map((delivery) => delivery.settle()));

  it('commits a moment after the settle, and not past what is in hand', async () => {
    group.bring(0, [5, 'a'], [6, 'b'], [7, 'c']);
    await until(() => inHand.length === 3);
    await inHand[2]!.settle();
    await inHand[0]!.settle();
    await clock.advance(100);
    await told('commit 0:6');
    await inHand[1]!.settle();
    await clock.advance(1_000);
    expect(group.told.filter((one) => one.startsWith('commit'))).toEqual(['commit 0:6', 'commit 0:8']);
  });

  it('gives a partition up only when what is in hand of it has ended, with a last commit; others go on', async () => {
    group.bring(0, [5, 'a']);
    group.bring(1, [9, 'b']);
    await until(() => inHand.length === 2);
    group.rebalance(REVOKE, 0);
    await new Promise((next) => setTimeout(next, 50));
    expect(group.told).not.toContain('unassign 0');
    const [a, b] = inHand;
    await a!.settle();
    await told('unassign 0');
    expect(group.told.slice(-2)).toEqual(['last commit 0:6', 'unassign 0']);
    expect(b!.signal.aborted).toBe(false);
    await b!.settle();
    await clock.advance(100);
    await told('commit 1:10');
  });

  it('takes the lane away from work that outlasts the limit of a revoke, and commits nothing of it', async () => {
    group.bring(0, [5, 'a']);
    await until(() => inHand.length === 1);
    group.rebalance(REVOKE, 0);
    await until(async () => {
      await clock.advance(REVOKE_LIMIT_MS);
      return group.told.includes('unassign 0');
    });
    expect(inHand[0]!.signal.aborted).toBe(true);
    await expect(inHand[0]!.settle()).rejects.toMatchObject({ code: 'TRANSPORT_LANE_TAKEN_AWAY' });
    await clock.advance(1_000);
    expect(group.told.filter((one) => one.includes('commit'))).toEqual([]);
  });

  it('drops a lost partition at once, and commits nothing of it any more', async () => {
    group.bring(0, [5, 'a'], [6, 'b']);
    await until(() => inHand.length === 2);
    await inHand[0]!.settle();
    group.isLost = true;
    group.rebalance(REVOKE, 0);
    await told('unassign 0');
    expect(inHand[1]!.signal.aborted).toBe(true);
    await clock.advance(1_000);
    expect(group.told.filter((one) => one.includes('commit'))).toEqual([]);
  });

  it('starts anew with a partition that comes back: what was in hand before does not count', async () => {
    group.bring(0, [5, 'a']);
    await until(() => inHand.length === 1);
    const [before] = inHand.splice(0);
    group.isLost = true;
    group.rebalance(REVOKE, 0);
    await told('unassign 0');
    group.rebalance(ASSIGN, 0);
    await told('assign 0');
    group.bring(0, [5, 'a']);
    await until(() => inHand.length === 1);
    await before!.settle().catch(() => undefined);
    await clock.advance(1_000);
    expect(group.told.filter((one) => one.includes('commit'))).toEqual([]);
    await settleAll();
    await clock.advance(1_000);
    await told('commit 0:6');
  });

  it('delivers no record of a partition that has gone, also when the client brings it late', async () => {
    group.rebalance(REVOKE, 0);
    await told('unassign 0');
    group.bring(0, [5, 'a']);
    group.bring(1, [1, 'b']);
    await until(() => inHand.length === 1);
    expect(inHand[0]!.position).toBe('t[1]@1');
  });

  it('pauses a partition whose window is full, and goes on when half of it is done', async () => {
    group.bring(0, ...Array.from({ length: 1_000 }, (_, offset): [number, string] => [offset, `k${offset}`]));
    await told('pause');
    expect(group.told).not.toContain('resume');
    await until(async () => {
      await settleAll();
      for (const done of returns.splice(0)) done();
      return group.told.includes('resume');
    });
  });

  it('stops with a last commit of what is settled, and leaves the group', async () => {
    group.bring(0, [5, 'a'], [6, 'b']);
    await until(() => inHand.length === 2);
    await inHand[0]!.settle();
    await subscription.stop(0);
    expect(group.told.slice(-2)).toEqual(['last commit 0:6', 'leave']);
    expect(inHand[1]!.signal.aborted).toBe(true);
  });

  it('stops at once while no broker was ever reached', async () => {
    const parts = { client, clock, trouble: new Trouble(clock, () => undefined), settings: {}, defaultComeBackMs: 1 };
    const options = { topic: 't', group: 'g', batchSizeMax: 1, lanes: 1 };
    const waiting = new KafkaSubscription({ ...parts, revokeLimitMs: 1 }, options, () => Promise.resolve());
    waiting.start(new Promise(() => undefined));
    await waiting.stop(1_000);
  });
});
