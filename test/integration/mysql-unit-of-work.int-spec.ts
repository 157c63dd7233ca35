import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { sessionStatements } from '../../src/database/mysql/mysql-options.js';
import type { Tx } from '../../src/database/unit-of-work.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';
import { sessionVariables, wantedVariables } from '../support/session-variables.js';
import { until } from '../support/until.js';

const note = ({ manager }: Tx, text: string): Promise<unknown> =>
  manager.query("INSERT INTO note (event_key, text) VALUES ('k', ?)", [text]);
// Not SLEEP, which MySQL cuts short without an error.
const ENDLESS = `SELECT COUNT(*) FROM ${['a', 'b', 'c', 'd'].map((name) => `information_schema.COLLATIONS ${name}`).join(', ')}`;
const CONFLICT = { code: 'DATABASE_CONFLICT' };
const UNAVAILABLE = { code: 'DATABASE_UNAVAILABLE' };
const ENDED = { code: 'TRANSACTION_ENDED' };

/** Something to be waited for that a test ends itself. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

describeWithDatabases('a unit of work', (start, engine) => {
  let server: DatabaseServer;
  let database: MysqlDatabase;
  beforeAll(async () => {
    // Set up as badly as a server can be: what counts is what the sessions say.
    server = await start(
      ...['--transaction-isolation=SERIALIZABLE', '--sql-mode=NO_BACKSLASH_ESCAPES', '--autocommit=0'],
      ...['--default-time-zone=+08:00', '--max-connections=40'],
    );
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    database = await openMysqlDatabase(server, new SystemClock());
  });
  afterEach(() => database.close());

  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.unitOfWork.write(work);
  const notes = async (): Promise<string[]> =>
    (await database.query<{ text: string }>('SELECT text FROM note ORDER BY id')).map(({ text }) => text);
  const lockWaits = async (): Promise<number> => {
    type Status = { Value: string };
    const [row] = await database.query<Status>("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'");
    return Number(row?.Value);
  };

  it('commits what the work wrote, and rolls back with its error', async () => {
    await write((tx) => note(tx, 'one'));
    const failed = write(async (tx) => {
      await note(tx, 'two');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual(['one']);
    expect(database.unitOfWork.trouble()).toBeNull();
  });

  it('takes back a part to its save point and keeps the rest', async () => {
    await write(async (tx) => {
      await note(tx, 'before');
      const part = tx.manager.transaction(async (manager) => {
        await note({ manager }, 'part');
        throw new Error('taken back');
      });
      await expect(part).rejects.toThrow('taken back');
      await tx.manager.transaction((manager) => note({ manager }, 'other part'));
    });
    expect(await notes()).toEqual(['before', 'other part']);
  });

  it('sees at each statement what others have committed by then: READ COMMITTED, whatever the server’s default', async () => {
    await write(async (tx) => {
      const count = async (): Promise<number> =>
        Number((await tx.manager.query<{ c: number }[]>('SELECT COUNT(*) AS c FROM note'))[0]?.c);
      expect(await count()).toBe(0);
      await write((other) => note(other, 'meanwhile'));
      expect(await count()).toBe(1);
    });
  });

  it('sets up every session of its pool, also one that replaces a lost one', async () => {
    const idOf = async ({ manager }: Tx): Promise<number> =>
      Number((await manager.query<{ id: number }[]>('SELECT CONNECTION_ID() AS id'))[0]?.id);
    const round = async (): Promise<Set<number>> => {
      const ids = new Set<number>();
      const allIn = gate();
      // At once, so that each has a connection of its own.
      await Promise.all(
        Array.from({ length: database.settings.poolMax }, () =>
          write(async (tx) => {
            expect(await sessionVariables(tx, engine)).toEqual(wantedVariables(engine, 'OFF'));
            ids.add(await idOf(tx));
            if (ids.size === database.settings.poolMax) allIn.open();
            await allIn.passed;
          }).finally(() => allIn.open()),
        ),
      );
      return ids;
    };
    const first = await round();
    for (const id of first) await server.root.query(`KILL ${id}`);
    // The driver drops a connection when it hears of its end.
    await until(async () => (await round().catch(() => first)) !== first, 10_000, 'new connections');
    const second = await round();
    expect([...second].filter((id) => first.has(id))).toEqual([]);
    await database.unitOfWork.read(async (tx) => {
      expect(await sessionVariables(tx, engine)).toEqual(wantedVariables(engine, 'ON'));
    });
    expect(sessionStatements(database.settings, 'migrate').join()).toContain('max_statement_time = 0');
  });

  it('keeps texts and big numbers as they are', async () => {
    const text = 'a\0b \' \\ " 😀';
    await write((tx) => note(tx, text));
    expect(await notes()).toEqual([text]);
    const [row] = await database.unitOfWork.read(({ manager }) =>
      manager.query<Record<string, unknown>[]>('SELECT id, 1796000000000 AS at, ? AS text FROM note', [text]),
    );
    expect(row).toEqual({ id: 1, at: 1_796_000_000_000, text });
  });

  it('counts the rows that a WHERE matched, changed or not', async () => {
    await write((tx) => note(tx, 'same'));
    const affected = await write(async ({ manager }) => {
      const result = await manager.queryRunner?.query("UPDATE note SET text = 'same'", [], true);
      return result?.affected;
    });
    expect(affected).toBe(1);
  });

  it('lets reads write nothing', async () => {
    await expect(database.unitOfWork.read((tx) => note(tx, 'by a read'))).rejects.toThrow(/READ ONLY/i);
    expect(await notes()).toEqual([]);
  });

  /** Two transactions that hold what the other wants. The second one closes the circle, and is the one to end. */
  async function deadlock(closing: (statement: Promise<unknown>) => Promise<unknown>) {
    await write(async (tx) => void (await note(tx, 'a'), await note(tx, 'b')));
    const [haveFirst, haveSecond] = [gate(), gate()];
    const touch = ({ manager }: Tx, id: number): Promise<unknown> =>
      manager.query("UPDATE note SET event_key = CONCAT(event_key, 'x') WHERE id = ?", [id]);
    const one = write(async (tx) => {
      // InnoDB ends the one that has done less.
      for (let i = 0; i < 20; i += 1) await note(tx, 'of the first');
      await touch(tx, 1);
      haveFirst.open();
      await haveSecond.passed;
      await touch(tx, 2);
    });
    const other = write(async (tx) => {
      await haveFirst.passed;
      await touch(tx, 2);
      haveSecond.open();
      await until(async () => (await lockWaits()) === 1, 2_500, 'the first one waits');
      await closing(touch(tx, 1));
      await note(tx, 'after the deadlock');
    });
    const [first, second] = await Promise.allSettled([one, other]);
    return { first, second };
  }

  it('ends in a conflict after a deadlock', async () => {
    const { first, second } = await deadlock((statement) => statement);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: CONFLICT });
    expect(database.unitOfWork.trouble()).toBeNull();
  });

  it('leaves nothing of a work that swallows its deadlock and writes on', async () => {
    const { first, second } = await deadlock((statement) => statement.catch(() => undefined));
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: CONFLICT });
    expect(await notes()).not.toContain('after the deadlock');
  });

  it('ends in a conflict when it waited too long for a lock, and gives its own locks back', async () => {
    await write((tx) => note(tx, 'wanted'));
    const free = gate();
    const holder = write(async ({ manager }) => {
      await manager.query('SELECT * FROM note FOR UPDATE');
      await free.passed;
    });
    const waiter = write(async (tx) => {
      await note(tx, 'of the waiter');
      await tx.manager.query("UPDATE note SET text = 'got' WHERE id = 1").catch(() => undefined);
      await note(tx, 'after the timeout').catch(() => undefined);
    });
    await expect(waiter).rejects.toMatchObject(CONFLICT);
    free.open();
    await holder;
    expect(await notes()).toEqual(['wanted']);
  });

  it.each(['commit', 'rollback'])('takes no statement any more after its %s', async (how) => {
    let kept: Tx | undefined;
    const work = write(async (tx) => {
      kept = tx;
      if (how === 'rollback') throw new Error('no');
    });
    await work.catch(() => undefined);
    const late = kept as Tx;
    await expect(note(late, 'late')).rejects.toMatchObject(ENDED);
    await expect(late.manager.transaction((manager) => note({ manager }, 'late'))).rejects.toMatchObject(ENDED);
    await write(async (tx) => {
      await note(tx, 'other');
      await expect(note(late, 'late')).rejects.toMatchObject(ENDED);
    });
    expect(await notes()).toEqual(['other']);
  });

  it('lends its connection to nobody while a statement of a work that has failed still runs', async () => {
    const small = await openMysqlDatabase(server, new SystemClock(), {}, { poolMax: 2 });
    const order: string[] = [];
    let left: Promise<unknown> = Promise.resolve();
    const failed = small.unitOfWork.write(async (tx) => {
      left = tx.manager.query('SELECT SLEEP(0.3)').then(() => order.push('statement'));
      // Behind the one that runs: sent after the roll back, it would commit alone.
      void note(tx, 'of the failed').catch(() => undefined);
      throw new Error('no');
    });
    await Promise.all([
      expect(failed)
        .rejects.toThrow('no')
        .then(() => order.push('end')),
      left,
    ]);
    expect(order).toEqual(['statement', 'end']);
    expect(await small.query('SELECT * FROM note')).toEqual([]);
    await small.close();
  });

  it('holds what nobody waited for: it is committed with the rest, or rolled back with it', async () => {
    await write(async (tx) => void note(tx, 'not waited for'));
    const failed = write(async (tx) => {
      void note(tx, 'not waited for, rolled back').catch(() => undefined);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual(['not waited for']);
  });

  it('does not let a handler give the connection back under its transaction', async () => {
    const failed = write(async (tx) => {
      await note(tx, 'released');
      await tx.manager.queryRunner?.release();
      await write((other) => note(other, 'by another'));
      await note(tx, 'still mine');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual(['by another']);
  });

  it('goes no further after a statement that commits on the side', async () => {
    const work = write(async (tx) => {
      await note(tx, 'committed by the next statement');
      await tx.manager.query('CREATE TABLE other (id INT)').catch(() => undefined);
      await note(tx, 'would commit alone').catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject(ENDED);
    expect(await notes()).toEqual(['committed by the next statement']);
  });

  it('counts a statement that is merely slow against the work, not against the database', async () => {
    const quick = await openMysqlDatabase(server, new SystemClock(), {}, { timeoutMs: 1_000 });
    const slow = quick.unitOfWork.write(({ manager }) => manager.query(ENDLESS));
    await expect(slow).rejects.toMatchObject({ driverError: { errno: engine === 'mysql' ? 3024 : 1969 } });
    expect(quick.unitOfWork.trouble()).toBeNull();
    await quick.close();
  });

  it('has no more connections than it may, and says so within its limit', async () => {
    const small = await openMysqlDatabase(server, new SystemClock(), {}, { poolMax: 2, timeoutMs: 1_000 });
    const free = gate();
    const inside = gate();
    let insideCount = 0;
    const holders = [1, 2].map(() =>
      small.unitOfWork.write(async () => {
        if ((insideCount += 1) === 2) inside.open();
        await free.passed;
      }),
    );
    await inside.passed;
    const tooMany = [3, 4].map(() => small.unitOfWork.write((tx) => note(tx, 'third')));
    const refused = await Promise.allSettled(tooMany);
    expect(refused).toMatchObject([{ reason: UNAVAILABLE }, { reason: UNAVAILABLE }]);
    expect(small.unitOfWork.trouble()?.reason).toContain('no connection to the database');
    const [row] = await small.query<{ count: number }>(
      `SELECT COUNT(*) AS count FROM information_schema.PROCESSLIST WHERE DB = '${small.name}' AND USER = 'gateway'`,
    );
    // The reader has one open beside the two.
    expect(Number(row?.count)).toBe(3);
    free.open();
    await Promise.all(holders);
    await small.unitOfWork.write((tx) => note(tx, 'fourth'));
    expect(small.unitOfWork.trouble()).toBeNull();
    // The others wait no more: what came free for them went back.
    expect(await small.query('SELECT text FROM note')).toEqual([{ text: 'fourth' }]);
    await small.close();
  });

  it('is unavailable on a server that takes no writes, and keeps none of its connections', async () => {
    const idOf = ({ manager }: Tx): Promise<unknown> => manager.query('SELECT CONNECTION_ID() AS id');
    const before = await write(async (tx) => (await note(tx, 'before'), idOf(tx)));
    await server.root.query('SET GLOBAL read_only = 1');
    try {
      await expect(write((tx) => note(tx, 'refused'))).rejects.toMatchObject(UNAVAILABLE);
      expect(database.unitOfWork.trouble()).not.toBeNull();
    } finally {
      await server.root.query('SET GLOBAL read_only = 0');
    }
    expect(await write(async (tx) => (await note(tx, 'after'), idOf(tx)))).not.toEqual(before);
    expect(database.unitOfWork.trouble()).toBeNull();
    expect(await notes()).toEqual(['before', 'after']);
  });
});
