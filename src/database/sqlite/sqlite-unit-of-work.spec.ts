import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApprovalOrderRow } from '../../handlers/approval/approval-order-row.entity.js';
import { openBusinessDatabase, type BusinessDatabase } from '../../../test/support/business-database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { Tx } from '../unit-of-work.js';

const order = (entityKey: string, status = 'RUNNING'): Partial<ApprovalOrderRow> => ({
  ...{ entityKey, spNo: '1', spName: 's', templateId: 't', applyerUserId: 'u', status, effectCount: 1 },
});

let database: BusinessDatabase;
beforeEach(async () => {
  database = await openBusinessDatabase(new ManualClock(), [ApprovalOrderRow]);
});
afterEach(() => database.close());

const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.unitOfWork.write(work);
const save = ({ manager }: Tx, row: Partial<ApprovalOrderRow>): Promise<unknown> =>
  manager.getRepository(ApprovalOrderRow).save(row);
const note = ({ manager }: Tx, text: string): Promise<unknown> =>
  manager.query("INSERT INTO note (event_key, text) VALUES ('k', ?)", [text]);
const notes = async (): Promise<string[]> =>
  (await database.query<{ text: string }>('SELECT text FROM note ORDER BY id')).map(({ text }) => text);
const orders = (): Promise<unknown[]> => database.query('SELECT entity_key, status FROM approval_order ORDER BY 1');

describe('a transaction', () => {
  it('serves repositories as it serves SQL, and both end together', async () => {
    await write(async (tx) => {
      await save(tx, order('a'));
      await save(tx, order('a', 'PASSED'));
      await note(tx, 'one');
      expect(await tx.manager.getRepository(ApprovalOrderRow).findOneBy({ entityKey: 'a' })).toMatchObject({
        status: 'PASSED',
      });
    });
    const failed = write(async (tx) => {
      await save(tx, order('b'));
      await note(tx, 'two');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await orders()).toEqual([{ entity_key: 'a', status: 'PASSED' }]);
    expect(await notes()).toEqual(['one']);
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

  it('leaves nothing to the next one when it fails inside a part', async () => {
    const failed = write(async (tx) => {
      void tx.manager.transaction(() => new Promise(() => undefined)).catch(() => undefined);
      await note(tx, 'lost');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await write((tx) => note(tx, 'next'));
    expect(await notes()).toEqual(['next']);
  });

  it('does not overlap with another one, and readers see what is committed', async () => {
    const order: string[] = [];
    const first = write(async (tx) => {
      await note(tx, 'first');
      order.push(`first sees ${(await notes()).length}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push('first ends');
    });
    const second = write(async () => order.push(`second sees ${(await notes()).length}`));
    await Promise.all([first, second]);
    expect(order).toEqual(['first sees 0', 'first ends', 'second sees 1']);
  });
});

describe('after its end a transaction', () => {
  it.each(['commit', 'rollback'])('takes no statement and no entity any more (%s)', async (how) => {
    let kept: Tx | undefined;
    const work = write(async (tx) => {
      kept = tx;
      if (how === 'rollback') throw new Error('no');
    });
    await work.catch(() => undefined);
    const late = kept as Tx;
    await expect(note(late, 'late')).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' });
    await expect(save(late, order('late'))).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' });
    await expect(late.manager.transaction((manager) => note({ manager }, 'late'))).rejects.toMatchObject({
      code: 'TRANSACTION_ENDED',
    });
    // Nor through the transaction of somebody else.
    await write(async (tx) => {
      await note(tx, 'other');
      await expect(note(late, 'late')).rejects.toMatchObject({ code: 'TRANSACTION_ENDED' });
    });
    expect(await notes()).toEqual(['other']);
    expect(await orders()).toEqual([]);
  });

  it('holds what nobody waited for: it is committed with the rest, or rolled back with it', async () => {
    await write(async (tx) => void note(tx, 'not waited for'));
    const failed = write(async (tx) => {
      void note(tx, 'not waited for, rolled back');
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await notes()).toEqual(['not waited for']);
  });
});

describe('a text with a NUL in it', () => {
  it('is kept whole: the driver would cut it without a word', async () => {
    await write((tx) => note(tx, 'a\0b'));
    const [row] = await database.query<{ bytes: number }>('SELECT length(CAST(text AS BLOB)) AS bytes FROM note');
    expect(row?.bytes).toBe(3);
  });
});

describe('a disk that is full for a while', () => {
  const fill = (tx: Tx): Promise<unknown> => note(tx, 'x'.repeat(2_000_000));
  const limitPages = (pages: number): Promise<unknown> =>
    write(({ manager }) => manager.query(`PRAGMA max_page_count = ${pages}`));

  it('costs the transaction that met it, and no later one', async () => {
    await write((tx) => note(tx, 'before'));
    await limitPages(100);
    await expect(write(fill)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(database.unitOfWork.trouble()).not.toBeNull();
    await limitPages(1_000_000);
    await expect(
      write(async (tx) => {
        await note(tx, 'of a handler that fails');
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await write((tx) => note(tx, 'after'));
    // Seen from another connection: committed, not held in a transaction that the next crash undoes.
    expect(await notes()).toEqual(['before', 'after']);
    expect(database.unitOfWork.trouble()).toBeNull();
  });

  it('leaves nothing of a work that swallows the error and writes on', async () => {
    await limitPages(100);
    const swallowing = write(async (tx) => {
      await note(tx, 'first');
      await fill(tx).catch(() => undefined);
      await note(tx, 'alone').catch(() => undefined);
    });
    await expect(swallowing).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await limitPages(1_000_000);
    expect(await notes()).toEqual([]);
  });
});
