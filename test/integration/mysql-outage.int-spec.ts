import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Tx } from '../../src/database/unit-of-work.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const LIMIT_MS = 1_000;
const CONFLICT = { code: 'DATABASE_CONFLICT' };
const UNAVAILABLE = { code: 'DATABASE_UNAVAILABLE' };
const note = ({ manager }: Tx, text: string): Promise<unknown> =>
  manager.query("INSERT INTO note (event_key, text) VALUES ('k', ?)", [text]);

describeWithDatabases('a unit of work whose server fails', (start) => {
  let server: DatabaseServer;
  let proxy: TcpProxy;
  let database: MysqlDatabase;
  beforeAll(async () => {
    server = await start();
    proxy = await TcpProxy.before(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });
  beforeEach(async () => {
    proxy.isSwallowing = false;
    database = await openMysqlDatabase(server, new SystemClock(), {}, { timeoutMs: LIMIT_MS, port: proxy.port });
  });
  afterEach(() => database.close());

  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.unitOfWork.write(work);
  const notes = async (): Promise<string[]> =>
    (await database.query<{ text: string }>('SELECT text FROM note ORDER BY id')).map(({ text }) => text);
  const worksAgain = (text: string): Promise<void> =>
    until(
      () =>
        write((tx) => note(tx, text)).then(
          () => true,
          () => false,
        ),
      15_000,
      'a transaction',
    );
  async function took(work: Promise<unknown>): Promise<number> {
    const start = performance.now();
    await work.catch(() => undefined);
    return performance.now() - start;
  }

  it('rolls back what a lost connection had begun', async () => {
    const lost = write(async (tx) => {
      await note(tx, 'before the cut');
      proxy.cut();
      await note(tx, 'after the cut').catch(() => undefined);
    });
    await expect(lost).rejects.toMatchObject(UNAVAILABLE);
    expect(database.unitOfWork.trouble()?.reason).toMatch(/closed|lost|reset/i);
    await worksAgain('next');
    expect(await notes()).toEqual(['next']);
    expect(database.unitOfWork.trouble()).toBeNull();
  });

  it.each(['lost', 'late'])('calls a commit whose reply is %s a conflict: the key decides', async (how) => {
    const unknown = write(async (tx) => {
      await note(tx, 'committed, and nobody told');
      proxy.swallowedCount = 0;
      proxy.isSwallowing = true;
      if (how === 'lost') void until(() => proxy.swallowedCount > 0).then(() => proxy.cut());
    });
    await expect(unknown).rejects.toMatchObject(CONFLICT);
    proxy.isSwallowing = false;
    await worksAgain('next');
    expect(await notes()).toEqual(['committed, and nobody told', 'next']);
  });

  it('has a limit while the server hangs, keeps the event loop free, and recovers', async () => {
    await write((tx) => note(tx, 'before'));
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 10);
    let late = 0;
    server.pause();
    try {
      const inTheMiddle = write(async (tx) => {
        await note(tx, 'hangs');
      });
      // The connection and its session, a statement, and a roll back that is not even tried.
      expect(await took(inTheMiddle)).toBeLessThan(4 * LIMIT_MS);
      await expect(inTheMiddle).rejects.toMatchObject(UNAVAILABLE);
      const reading = database.unitOfWork.read(({ manager }) => manager.query('SELECT 1'));
      expect(await took(reading)).toBeLessThan(3 * LIMIT_MS);
      await expect(reading).rejects.toMatchObject(UNAVAILABLE);
      late = turns;
    } finally {
      server.resume();
      clearInterval(ticking);
    }
    expect(late).toBeGreaterThan(50);
    expect(database.unitOfWork.trouble()).not.toBeNull();
    await worksAgain('after');
    expect(await notes()).toEqual(['before', 'after']);
    expect(database.unitOfWork.trouble()).toBeNull();
  });

  it('gives back every connection that a server which hangs has cost it', async () => {
    server.pause();
    try {
      for (let round = 0; round < 3; round += 1) {
        const work = Array.from({ length: 8 }, () => write((tx) => note(tx, 'hangs')));
        const ended = await Promise.allSettled(work);
        expect(ended.filter(({ status }) => status === 'fulfilled')).toEqual([]);
      }
    } finally {
      server.resume();
    }
    await worksAgain('first');
    const { poolMax } = database.settings;
    await Promise.all(Array.from({ length: 2 * poolMax }, () => write((tx) => note(tx, 'more'))));
    expect(await notes()).toHaveLength(1 + 2 * poolMax);
  });

  it('survives the server’s death in the middle of a transaction and its restart', async () => {
    await write((tx) => note(tx, 'before'));
    const dying = write(async (tx) => {
      await note(tx, 'lost with the server');
      await server.kill();
      await note(tx, 'never').catch(() => undefined);
    });
    await expect(dying).rejects.toMatchObject(UNAVAILABLE);
    await expect(write((tx) => note(tx, 'refused'))).rejects.toMatchObject(UNAVAILABLE);
    await expect(database.unitOfWork.read(({ manager }) => manager.query('SELECT 1'))).rejects.toMatchObject(
      UNAVAILABLE,
    );
    await server.start();
    await worksAgain('after');
    expect(await notes()).toEqual(['before', 'after']);
  });

  it('closes in a moment while the server hangs', async () => {
    const other = await openMysqlDatabase(server, new SystemClock());
    await other.unitOfWork.write((tx) => note(tx, 'one'));
    server.pause();
    try {
      expect(await took(other.close())).toBeLessThan(6_000);
    } finally {
      server.resume();
    }
  });
});
