import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { Outbox, OutboxEntry, PendingCommand } from '../../src/saga/outbox.js';
import type { Command } from '../../src/saga/state-machine.js';
import type { StoreHarness } from './store-harness.js';

const command = (name: string, compensation?: Command): Command => {
  const plain = { kind: 'http' as const, name, url: 'http://localhost/', body: '{"文":1}', headers: { a: 'b' } };
  return compensation ? { ...plain, compensation } : plain;
};
const entry = (key: string, dueAt = 0, compensation?: Command): OutboxEntry => ({
  ...{ idempotencyKey: key, eventKey: 'event', command: command(key, compensation), dueAt },
});

/** The promise of the port, for any adapter. */
export function describeOutbox(name: string, harness: StoreHarness<Outbox>): void {
  describe(name, () => {
    let store: Outbox;
    let unitOfWork: UnitOfWork;
    beforeEach(async () => {
      ({ store, unitOfWork } = await harness.make());
    });
    afterEach(() => harness.close());

    const add = (...entries: OutboxEntry[]): Promise<void> => unitOfWork.write((tx) => store.add(tx, entries));
    const pick = (now: number, limit = 10): Promise<PendingCommand[]> =>
      unitOfWork.write((tx) => store.pick(tx, now, now + 1_000, limit));
    const counts = (): Promise<unknown> => unitOfWork.read((tx) => store.counts(tx));
    const first = async (now: number): Promise<PendingCommand> => {
      const [picked] = await pick(now);
      if (!picked) throw new Error('nothing was picked');
      return picked;
    };

    it('keeps commands until they are due, reads them back as given, and counts the delivery', async () => {
      await add(entry('k', 100, command('undo')));
      await add();
      expect(await pick(99)).toEqual([]);
      expect(await first(100)).toMatchObject({ ...entry('k', 1_100, command('undo')), attempt: 1 });
      expect(await counts()).toEqual({ pending: 1, dead: 0 });
    });

    it('hides what was picked, so that a crash only delays', async () => {
      await add(entry('k'));
      await pick(0);
      expect(await pick(999)).toEqual([]);
      expect(await first(1_000)).toMatchObject({ idempotencyKey: 'k', attempt: 2 });
    });

    it('takes what was due first, and no more than asked for', async () => {
      await add(entry('late', 30), entry('early', 10), entry('middle', 20));
      expect((await pick(99, 2)).map(({ idempotencyKey }) => idempotencyKey)).toEqual(['early', 'middle']);
      expect((await pick(99, 2)).map(({ idempotencyKey }) => idempotencyKey)).toEqual(['late']);
    });

    it('adds nothing when its transaction rolls back', async () => {
      const failed = unitOfWork.write(async (tx) => {
        await store.add(tx, [entry('k')]);
        throw new Error('roll back');
      });
      await expect(failed).rejects.toThrow('roll back');
      expect(await counts()).toEqual({ pending: 0, dead: 0 });
    });

    it('refuses a second command of one idempotency key', async () => {
      await add(entry('k'));
      await expect(add(entry('k'))).rejects.toThrow();
    });

    it('drops what was delivered', async () => {
      await add(entry('a'), entry('b'));
      const { id } = await first(0);
      await unitOfWork.write((tx) => store.delivered(tx, [id]));
      await unitOfWork.write((tx) => store.delivered(tx, []));
      expect((await pick(5_000)).map(({ idempotencyKey }) => idempotencyKey)).toEqual(['b']);
    });

    it('shows a failed command again at its time', async () => {
      await add(entry('k'));
      const { id } = await first(0);
      await unitOfWork.write((tx) => store.failed(tx, id, 5_000, 'answered 500'));
      expect(await pick(4_999)).toEqual([]);
      expect(await first(5_000)).toMatchObject({ attempt: 2 });
    });

    it('never shows a dead command again, but keeps it, and adds its compensation', async () => {
      await add(entry('k', 0, command('undo')), entry('plain'));
      for (const dead of await pick(0)) await unitOfWork.write((tx) => store.dead(tx, dead, 'gave up', 50));
      expect(await counts()).toEqual({ pending: 1, dead: 2 });
      expect(await pick(49)).toEqual([]);
      const compensation = await first(9_999);
      expect(compensation).toMatchObject({ idempotencyKey: 'k:compensation', eventKey: 'event', attempt: 1 });
      expect(compensation.command).toEqual(command('undo'));
      // A failure that is noted late brings nothing back.
      await unitOfWork.write((tx) => store.failed(tx, compensation.id - 1, 0, 'late'));
      expect(await counts()).toEqual({ pending: 1, dead: 2 });
    });

    it('declares a command dead once: a repeat after a lost reply adds nothing', async () => {
      await add(entry('k', 0, command('undo')));
      const dead = await first(0);
      for (let call = 0; call < 2; call += 1) await unitOfWork.write((tx) => store.dead(tx, dead, 'gave up', 50));
      expect(await counts()).toEqual({ pending: 1, dead: 1 });
    });
  });
}
