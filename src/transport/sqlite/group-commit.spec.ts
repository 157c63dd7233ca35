import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { GroupCommit } from './group-commit.js';
import { Trouble } from '../trouble.js';

class TurnClock extends ManualClock {
  beforeTurn: () => void = () => undefined;
  elapsedMs = 0;

  override monotonic(): number {
    return this.elapsedMs;
  }

  override async nextTurn(): Promise<void> {
    await super.nextTurn();
    this.beforeTurn();
  }
}

function setUp(groupCommitMax: number, waitingMax = 1_000) {
  const clock = new TurnClock();
  const transactions: string[][] = [];
  const state = { failure: null as Error | null };
  let current: string[] = [];
  const transaction = (work: () => void): void => {
    current = [];
    transactions.push(current);
    work();
    if (state.failure !== null) throw state.failure;
  };
  const trouble = new Trouble(clock, () => undefined);
  const writes = new GroupCommit(clock, transaction, trouble, { groupCommitMax, waitingMax });
  const add = (name: string, weight = 1, patienceMs = 100): Promise<void> =>
    writes.add(() => void current.push(name), weight, patienceMs);
  return { clock, transactions, state, trouble, writes, add };
}

describe('GroupCommit', () => {
  it('puts all writes of a turn into one transaction, in order', async () => {
    const { transactions, add } = setUp(10);
    await Promise.all([add('a'), add('b'), add('c')]);
    await add('d');
    expect(transactions).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('divides what is more than a group, but never a single write', async () => {
    const { transactions, add } = setUp(3);
    await Promise.all([add('a', 2), add('b', 2), add('c', 1), add('large', 9), add('d')]);
    expect(transactions).toEqual([['a'], ['b', 'c'], ['large'], ['d']]);
  });

  it('rejects a whole group whose transaction fails, dates the trouble from the first failure, and goes on', async () => {
    const { clock, state, trouble, writes, add } = setUp(10);
    state.failure = new Error('database or disk is full');
    const failed = await Promise.allSettled([add('a'), add('b')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const since = clock.now();
    await clock.advance(1_000);
    state.failure = new Error('disk I/O error');
    await expect(add('c')).rejects.toBe(state.failure);
    expect(trouble.state()).toEqual({ since, reason: 'disk I/O error' });
    state.failure = null;
    await add('d');
    expect(trouble.state()).toBeNull();
    await writes.idle();
  });

  it('refuses without writing it what waited longer than its patience', async () => {
    const { clock, transactions, add } = setUp(10);
    clock.beforeTurn = () => (clock.elapsedMs = 200);
    const [hasty, patient] = await Promise.allSettled([add('hasty', 1, 100), add('patient', 1, 300)]);
    expect([hasty.status, patient.status]).toEqual(['rejected', 'fulfilled']);
    expect(transactions).toEqual([['patient']]);
  });

  it('refuses at once what exceeds the rows that may wait', async () => {
    const { transactions, add } = setUp(10, 3);
    const results = await Promise.allSettled([add('a', 2), add('b', 2), add('c', 1)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(transactions).toEqual([['a', 'c']]);
    await add('alone', 9);
    await Promise.all([add('d', 2), add('e', 1)]);
  });

  it('is idle only when all that waits is written', async () => {
    const { transactions, writes, add } = setUp(1);
    void add('a');
    void add('b');
    await writes.idle();
    expect(transactions).toEqual([['a'], ['b']]);
  });
});
