import { beforeEach, describe, expect, it } from 'vitest';
import { Database, type Answer } from './database.js';
import type { Change, Transaction } from './transaction.js';

/** Time that a test moves by hand. */
class Times {
  readonly lockWaitMs = 50;
  private readonly due: { at: number; act: () => void }[] = [];
  private now = 0;

  later(ms: number, act: () => void): void {
    this.due.push({ at: this.now + ms, act });
  }

  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      this.due.sort((a, b) => a.at - b.at);
      const next = this.due[0];
      if (!next || next.at > end) break;
      this.due.shift();
      this.now = next.at;
      next.act();
    }
    this.now = end;
  }
}

describe('the simulated database', () => {
  let times: Times;
  let database: Database;
  let [one, other]: Transaction[] = [];
  let commits: (readonly Change[])[];
  beforeEach(() => {
    times = new Times();
    database = new Database(times);
    commits = [];
    database.onCommit.push((changes) => commits.push(changes));
    for (const key of ['a', 'b']) write(`INSERT INTO outbox (idempotency_key, attempt) VALUES ('${key}', 0)`);
    one = database.begin('one');
    other = database.begin('other');
  });

  function write(sql: string): void {
    const transaction = database.begin('setup');
    run(transaction, sql);
    database.commit(transaction);
  }

  /** Undefined while it waits. */
  function run(transaction: Transaction | null | undefined, sql: string): { answer: Answer | undefined } {
    const result: { answer: Answer | undefined } = { answer: undefined };
    database.execute(transaction ?? null, sql, [], (answer) => (result.answer = answer));
    return result;
  }

  const errno = ({ answer }: { answer: Answer | undefined }): number | undefined =>
    answer && 'error' in answer ? (answer.error as { errno?: number }).errno : undefined;
  const rows = ({ answer }: { answer: Answer | undefined }): unknown =>
    answer && 'ok' in answer ? answer.ok.rows.map(({ attempt }) => attempt) : answer;
  const read = "SELECT attempt FROM outbox WHERE idempotency_key = 'a'";
  const count = (key: string): string => `UPDATE outbox SET attempt = attempt + 1 WHERE idempotency_key = '${key}'`;

  it('shows its own writes to a transaction, and to others what is committed', () => {
    run(one, count('a'));
    expect([rows(run(one, read)), rows(run(other, read)), rows(run(null, read))]).toEqual([[1], [0], [0]]);
    database.commit(one!);
    expect(rows(run(other, read))).toEqual([1]);
    database.rollBack(other!);
  });

  it('has a locking read and an update wait for the row, and look again then', () => {
    run(one, count('a'));
    const [locking, updating] = [run(other, `${read} FOR UPDATE`), run(database.begin('third'), count('a'))];
    expect([locking.answer, updating.answer]).toEqual([undefined, undefined]);
    database.commit(one!);
    times.pass(1);
    expect(rows(locking)).toEqual([1]);
    database.commit(other!);
    times.pass(1);
    expect(updating.answer).toMatchObject({ ok: { affected: 1 } });
  });

  it('passes over locked rows where it is asked to', () => {
    run(one, count('a'));
    const all = 'SELECT attempt FROM outbox ORDER BY id FOR UPDATE SKIP LOCKED';
    expect(rows(run(other, all))).toEqual([0]);
    database.rollBack(one!);
    expect(rows(run(other, all))).toEqual([0, 0]);
  });

  it('has the second insert of a key wait for the first: a duplicate after its commit, free after its rollback', () => {
    const insert = "INSERT INTO outbox (idempotency_key, attempt) VALUES ('new', 7)";
    for (const [end, duplicate] of [
      ['rollBack', undefined],
      ['commit', 1062],
    ] as const) {
      const [first, second] = [database.begin('first'), database.begin('second')];
      run(first, insert);
      const waiting = run(second, insert);
      expect(waiting.answer).toBeUndefined();
      database[end](first);
      times.pass(1);
      expect(errno(waiting)).toBe(duplicate);
      if (end === 'rollBack') database.rollBack(second);
      else database.commit(second);
    }
  });

  it('ends one of two that wait for each other, and only that one', () => {
    run(one, count('a'));
    run(other, count('b'));
    const waiting = run(one, count('b'));
    expect(errno(run(other, count('a')))).toBe(1213);
    times.pass(1);
    expect(waiting.answer).toMatchObject({ ok: { affected: 1 } });
    expect([one!.isOpen, other!.isOpen, database.deadlocks]).toEqual([true, false, 1]);
  });

  it('gives up a wait at its limit and leaves the transaction open', () => {
    run(one, count('a'));
    run(other, count('b'));
    const waiting = run(other, count('a'));
    times.pass(50);
    expect([errno(waiting), other!.isOpen]).toEqual([1205, true]);
    expect(rows(run(other, "SELECT attempt FROM outbox WHERE idempotency_key = 'b'"))).toEqual([1]);
  });

  it('takes a statement that failed back as a whole, and keeps what came before it', () => {
    run(one, count('b'));
    const both = "INSERT INTO outbox (idempotency_key, attempt) VALUES ('c', 1), ('a', 1)";
    expect(errno(run(one, both))).toBe(1062);
    database.commit(one!);
    expect(database.rows('outbox').map((row) => [row['idempotency_key'], row['attempt']])).toEqual([
      ['a', 0],
      ['b', 1],
    ]);
  });

  it('takes no statement of a transaction that has ended', () => {
    database.rollBack(one!);
    expect(run(one, read).answer).toMatchObject({ error: { fatal: true } });
  });

  it('tells each commit with what it changed, once a row', () => {
    run(one, count('a'));
    run(one, count('a'));
    run(one, "DELETE FROM outbox WHERE idempotency_key = 'b'");
    database.commit(one!);
    expect(commits.at(-1)).toMatchObject([
      { table: 'outbox', before: { attempt: 0 }, after: { attempt: 2 } },
      { table: 'outbox', before: { idempotency_key: 'b' }, after: null },
    ]);
  });

  it('guesses at nothing that it does not know', () => {
    expect(() => run(one, 'SELECT attempt FROM outbox HAVING 1')).toThrow(SyntaxError);
  });
});
