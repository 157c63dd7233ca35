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

  describe('an update of what is joined to a document', () => {
    const joined = (document: unknown, condition = 'outbox.attempt = wanted.seen'): string =>
      `UPDATE JSON_TABLE('${JSON.stringify(document)}', '$[*]' COLUMNS (
         wanted_key VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PATH '$[0]', seen INT PATH '$[1]',
         next TINYINT PATH '$[2]')) AS wanted
       STRAIGHT_JOIN outbox FORCE INDEX (uq_outbox) ON outbox.idempotency_key = wanted.wanted_key
       SET outbox.attempt = wanted.next, outbox.error_message = wanted.wanted_key WHERE ${condition}`;
    const committed = (): unknown =>
      database.rows('outbox').map((row) => [row['idempotency_key'], row['attempt'], row['error_message']]);

    it('changes the rows that fit, and counts them, whether or not they are other rows than before', () => {
      const document = [
        ['b', 0, 2],
        ['a', 1, 3],
        ['nobody', 0, 4],
      ];
      expect(run(one, joined(document)).answer).toMatchObject({ ok: { affected: 1 } });
      expect(run(one, joined([['b', 2, 2]])).answer).toMatchObject({ ok: { affected: 1 } });
      database.commit(one!);
      expect(committed()).toEqual([
        ['a', 0, null],
        ['b', 2, 'b'],
      ]);
    });

    it('takes what does not fit its type for NULL, which equals nothing', () => {
      for (const [key, seen, next, affected] of [
        ['abcdef', 0, 1, 0],
        ['a', 2 ** 31, 1, 0],
        ['a', null, 1, 0],
        ['a', {}, 1, 0],
        ['a', '0', 128, 1],
        ['b', false, '7', 1],
      ])
        expect(run(one, joined([[key, seen, next]])).answer).toMatchObject({ ok: { affected } });
      database.commit(one!);
      expect(committed()).toEqual([
        ['a', null, 'a'],
        ['b', 7, 'b'],
      ]);
    });

    it('changes a row once that fits twice', () => {
      const document = [
        ['a', 0, 0],
        ['a', 0, 5],
      ];
      expect(run(one, joined(document)).answer).toMatchObject({ ok: { affected: 1 } });
    });

    it('locks row by row in the order of the document, also before one that it has to wait for', () => {
      run(one, count('a'));
      const waiting = run(
        other,
        joined([
          ['b', 0, 1],
          ['a', 0, 1],
        ]),
      );
      expect(waiting.answer).toBeUndefined();
      const third = database.begin('third');
      expect(run(third, 'SELECT attempt FROM outbox FOR UPDATE SKIP LOCKED').answer).toMatchObject({
        ok: { rows: [] },
      });
      expect(errno(run(one, count('b')))).toBe(1213);
      times.pass(1);
      expect(waiting.answer).toMatchObject({ ok: { affected: 2 } });
    });

    it('sees after its wait what the one before it committed, and gives back what it does not mean', () => {
      run(one, count('a'));
      const waiting = run(other, joined([['a', 0, 9]]));
      database.commit(one!);
      times.pass(1);
      expect(waiting.answer).toMatchObject({ ok: { affected: 0 } });
      expect(rows(run(database.begin('third'), `${read} FOR UPDATE SKIP LOCKED`))).toEqual([1]);
    });

    it('waits for a row that it would not mean: only an update of one table looks before it waits', () => {
      run(one, count('a'));
      expect(run(other, joined([['a', 5, 9]])).answer).toBeUndefined();
      expect(run(database.begin('third'), 'UPDATE outbox SET attempt = 9 WHERE attempt = 5').answer).toMatchObject({
        ok: { affected: 0 },
      });
    });

    it('keeps a lock that it has had before, meant or not', () => {
      run(one, `${read} FOR UPDATE`);
      run(one, joined([['a', 5, 9]]));
      expect(rows(run(other, `${read} FOR UPDATE SKIP LOCKED`))).toEqual([]);
    });

    it('changes no other table, and reads no other path', () => {
      for (const wrong of [
        joined([]).replace('SET outbox.attempt', 'SET wanted.seen'),
        joined([]).replace('SET outbox.attempt', 'SET attempt'),
        joined([]).replace("'$[*]'", "'$.rows[*]'"),
        joined([]).replace("'$[1]'", "'$[last]'"),
        joined([]).replace('INT PATH', 'DECIMAL PATH'),
      ])
        expect(() => run(one, wrong)).toThrow(SyntaxError);
    });
  });

  it('puts the rows of a UNION ALL one after the other, each part in its order', () => {
    run(one, count('b'));
    const part = 'SELECT idempotency_key, attempt FROM outbox';
    const union = `(${part} ORDER BY attempt DESC LIMIT 1) UNION ALL (${part} WHERE attempt = 0) UNION ALL (${part} LIMIT 0)`;
    expect(run(one, union).answer).toMatchObject({
      ok: {
        rows: [
          { idempotency_key: 'b', attempt: 1 },
          { idempotency_key: 'a', attempt: 0 },
        ],
      },
    });
    expect(() => run(one, `(${part}) UNION (${part})`)).toThrow(SyntaxError);
  });

  it('changes the row of a duplicate key where it is told to, waits for it, and counts it twice', () => {
    const upsert = (key: string): string =>
      `INSERT INTO outbox (idempotency_key, attempt) VALUES ('${key}', 5)
       ON DUPLICATE KEY UPDATE attempt = outbox.attempt + VALUES(attempt), error_message = VALUES(idempotency_key)`;
    run(one, count('a'));
    const waiting = run(other, upsert('a'));
    expect(waiting.answer).toBeUndefined();
    database.commit(one!);
    times.pass(1);
    expect(waiting.answer).toMatchObject({ ok: { affected: 2 } });
    expect(run(other, upsert('c')).answer).toMatchObject({ ok: { affected: 1 } });
    database.commit(other!);
    expect(database.rows('outbox').map((row) => [row['attempt'], row['error_message']])).toEqual([
      [6, 'a'],
      [0, null],
      [5, null],
    ]);
  });

  it('guesses at nothing that it does not know', () => {
    expect(() => run(one, 'SELECT attempt FROM outbox HAVING 1')).toThrow(SyntaxError);
  });
});
