import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { UNSEEN, type EntitySnapshot } from '../../src/saga/decide.js';
import type { EntityChange, EntityWrite, KeyedEntity, SagaStore } from '../../src/saga/saga-store.js';
import type { StoreHarness } from './store-harness.js';

const entity = (entityId: string): KeyedEntity => ({
  ref: { receiver: 'app', corpId: 'ww1', entityType: 'thing', entityId },
  key: `app/ww1/thing/${entityId}`,
});
const FIRST: EntitySnapshot = {
  ...{
    version: 1,
    state: 'OPEN',
    lastEventTime: 1_700_000_000,
    lastRank: 2,
    secondRanks: 5,
    unconfirmed: true,
    tombstone: false,
  },
};
const SECOND: EntitySnapshot = {
  ...{
    version: 2,
    state: '已解散',
    lastEventTime: null,
    lastRank: null,
    secondRanks: 0,
    unconfirmed: false,
    tombstone: true,
  },
};
const [A, B] = [entity('a'), entity('b')];

/** The promise of the port, for any adapter. */
export function describeSagaStore(name: string, harness: StoreHarness<SagaStore>): void {
  describe(name, () => {
    let store: SagaStore;
    let unitOfWork: UnitOfWork;
    beforeEach(async () => {
      ({ store, unitOfWork } = await harness.make());
    });
    afterEach(() => harness.close());

    const write = async (...writes: EntityWrite[]): Promise<boolean> => {
      await store.prepare(writes.map((one) => one.entity));
      return unitOfWork.write((tx) => store.write(tx, writes));
    };
    const load = (...entities: KeyedEntity[]): Promise<Map<string, EntitySnapshot>> =>
      unitOfWork.read((tx) => store.load(tx, entities));

    it('shows entities without a row, and prepared ones, as unseen', async () => {
      await store.prepare([A, B]);
      await store.prepare([A]);
      expect(await load(A, entity('c'))).toEqual(
        new Map([
          [A.key, UNSEEN],
          [entity('c').key, UNSEEN],
        ]),
      );
      expect(await unitOfWork.write((tx) => store.lock(tx, [A]))).toEqual(new Map([[A.key, UNSEEN]]));
      expect(await unitOfWork.read((tx) => store.find(tx, A.key))).toBeNull();
      expect(await load()).toEqual(new Map());
    });

    it('reads back what was written, by lock and by load', async () => {
      expect(await write({ entity: A, before: UNSEEN, after: FIRST })).toBe(true);
      expect((await load(A, B)).get(A.key)).toEqual(FIRST);
      expect(await write({ entity: A, before: FIRST, after: SECOND })).toBe(true);
      expect((await unitOfWork.write((tx) => store.lock(tx, [A]))).get(A.key)).toEqual(SECOND);
      expect(await unitOfWork.read((tx) => store.find(tx, A.key))).toEqual({ ...A.ref, ...SECOND });
    });

    it('misses when the version is another one, and writes nothing', async () => {
      await write({ entity: A, before: UNSEEN, after: FIRST });
      expect(await write({ entity: A, before: SECOND, after: { ...SECOND, version: 3 } })).toBe(false);
      expect(await write({ entity: A, before: { ...FIRST, version: 3 }, after: SECOND })).toBe(false);
      expect((await load(A)).get(A.key)).toEqual(FIRST);
    });

    it('misses when the entity came into being meanwhile', async () => {
      await write({ entity: A, before: UNSEEN, after: FIRST });
      expect(await write({ entity: A, before: UNSEEN, after: { ...FIRST, state: 'LATE' } })).toBe(false);
      expect((await load(A)).get(A.key)).toEqual(FIRST);
    });

    it('marks doubt without a new version', async () => {
      const sure = { ...FIRST, unconfirmed: false };
      await write({ entity: A, before: UNSEEN, after: sure });
      expect(await write({ entity: A, before: sure, after: { ...sure, unconfirmed: true } })).toBe(true);
      expect((await load(A)).get(A.key)).toEqual(FIRST);
    });

    it.each([
      ['a doubt', { unconfirmed: true }],
      ['a rank of the second', { secondRanks: 7 }],
    ])('misses when %s was noted meanwhile, though the version is the same', async (_, noted) => {
      const before = { ...FIRST, unconfirmed: false };
      await write({ entity: A, before: UNSEEN, after: before });
      await write({ entity: A, before, after: { ...before, ...noted } });
      expect(await write({ entity: A, before, after: SECOND })).toBe(false);
      expect((await load(A)).get(A.key)).toEqual({ ...before, ...noted });
    });

    it('says so when one of several missed; the caller rolls back', async () => {
      await write({ entity: B, before: UNSEEN, after: FIRST });
      expect(
        await write({ entity: A, before: UNSEEN, after: FIRST }, { entity: B, before: UNSEEN, after: FIRST }),
      ).toBe(false);
      expect(await write()).toBe(true);
    });

    it('writes new, prepared and known entities at once, each with what is its own', async () => {
      const [known, doubted, prepared, fresh] = [entity('d'), entity('c'), entity('b'), entity('a')];
      const own = (one: KeyedEntity, version: number): EntitySnapshot => ({
        ...FIRST,
        version,
        state: `of ${one.key}`,
      });
      await write({ entity: known, before: UNSEEN, after: FIRST }, { entity: doubted, before: UNSEEN, after: FIRST });
      await store.prepare([prepared]);
      const writes = [
        { entity: known, before: FIRST, after: own(known, 2) },
        { entity: fresh, before: UNSEEN, after: own(fresh, 1) },
        { entity: prepared, before: UNSEEN, after: own(prepared, 1) },
        { entity: doubted, before: FIRST, after: { ...FIRST, unconfirmed: false } },
      ];
      expect(await unitOfWork.write((tx) => store.write(tx, writes))).toBe(true);
      const expected = new Map(writes.map(({ entity: { key }, after }) => [key, after]));
      expect(await load(known, doubted, prepared, fresh)).toEqual(expected);
    });

    it.each([
      ['has another version', { ...FIRST, version: 7 }],
      ['is gone', FIRST],
      ['has come into being', UNSEEN],
    ])('says so when one of many %s, whatever the others are', async (what, before) => {
      const [odd, known, prepared, fresh] = [entity('m'), entity('z'), entity('y'), entity('a')];
      await write({ entity: known, before: UNSEEN, after: FIRST });
      if (what !== 'is gone') await write({ entity: odd, before: UNSEEN, after: FIRST });
      await store.prepare([prepared]);
      const writes = [
        { entity: prepared, before: UNSEEN, after: FIRST },
        { entity: fresh, before: UNSEEN, after: FIRST },
        { entity: known, before: FIRST, after: SECOND },
        { entity: odd, before, after: { ...SECOND, version: before.version + 1 } },
      ];
      expect(await unitOfWork.write((tx) => store.write(tx, writes))).toBe(false);
    });

    it('is undone by a rollback', async () => {
      await store.prepare([A]);
      const failed = unitOfWork.write(async (tx) => {
        await store.write(tx, [{ entity: A, before: UNSEEN, after: FIRST }]);
        throw new Error('roll back');
      });
      await expect(failed).rejects.toThrow('roll back');
      expect((await load(A)).get(A.key)).toEqual(UNSEEN);
    });

    it('tells entities apart in every letter', async () => {
      const upper = entity('A');
      await write({ entity: A, before: UNSEEN, after: FIRST });
      expect(await write({ entity: upper, before: UNSEEN, after: { ...FIRST, state: 'OTHER' } })).toBe(true);
      expect((await load(A)).get(A.key)).toEqual(FIRST);
    });

    it('keeps the time line of an entity, oldest first, the same change twice if it was made twice', async () => {
      const change = (to: string, more: Partial<EntityChange> = {}): EntityChange => ({
        ...{
          entityKey: A.key,
          eventKey: 'k',
          fromState: 'x',
          toState: to,
          createTime: 5,
          eventRank: 1,
          at: 9,
          ...more,
        },
      });
      const lastId = (): Promise<number> => unitOfWork.read((tx) => store.lastChangeId(tx));
      expect(await lastId()).toBe(0);
      await unitOfWork.write((tx) => store.recordChanges(tx, []));
      await unitOfWork.write((tx) => store.recordChanges(tx, [change('1'), change('2', { createTime: null })]));
      await unitOfWork.write((tx) => store.recordChanges(tx, [change('1'), change('3', { entityKey: B.key })]));
      const timeline = await unitOfWork.read((tx) => store.timeline(tx, A.key));
      expect(timeline).toMatchObject([change('1'), change('2', { createTime: null }), change('1')]);
      const all = await unitOfWork.read((tx) => store.changes(tx, 0, 10));
      expect(all.map(({ toState }) => toState)).toEqual(['1', '2', '1', '3']);
      expect(await lastId()).toBe(all[3]?.id);
      const page = await unitOfWork.read((tx) => store.changes(tx, all[0]?.id ?? 0, 2));
      expect(page).toEqual(all.slice(1, 3));
    });
  });
}
