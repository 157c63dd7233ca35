import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WecomApiRefusedError, WecomApiUnavailableError, type WecomApi } from '../../src/wecom-api/wecom-api.js';

/** What a test can do to the WeCom behind an adapter. The app `app` has credentials, `other` has none. */
export interface WecomApiProbe {
  readonly api: WecomApi;
  addMember(userId: string): void;
  addFollowers(externalUserId: string, userIds: readonly string[]): void;
  /** The next question finds WeCom busy, or is refused. */
  failNext(how: 'busy' | 'refused'): void;
}

export interface WecomApiHarness {
  make(): Promise<WecomApiProbe>;
  close(): Promise<void>;
}

/** The promise of the port, for any adapter. */
export function describeWecomApi(name: string, harness: WecomApiHarness): void {
  describe(name, () => {
    let probe: WecomApiProbe;
    const { signal } = new AbortController();
    beforeEach(async () => void (probe = await harness.make()));
    afterEach(() => harness.close());
    const relation = (userId: string): Promise<boolean> =>
      probe.api.hasFollowRelation('app', { userId, externalUserId: 'c' }, signal);

    it('says which apps it can ask for', () => {
      expect([probe.api.isConfigured('app'), probe.api.isConfigured('other')]).toEqual([true, false]);
    });

    it('tells a member who is there from one who is not, by case too', async () => {
      probe.addMember('a');
      expect(await Promise.all(['a', 'A', 'b'].map((id) => probe.api.hasMember('app', id, signal)))).toEqual([
        ...[true, false, false],
      ]);
    });

    it('tells who follows a customer, however many do', async () => {
      expect(await relation('u1')).toBe(false);
      probe.addFollowers('c', ['u1', 'u2', 'u3', 'u4', 'u5']);
      expect(await Promise.all(['u1', 'u5', 'u6'].map(relation))).toEqual([true, true, false]);
    });

    it.each([
      ['busy', WecomApiUnavailableError],
      ['refused', WecomApiRefusedError],
    ] as const)('rejects while WeCom is %s, and works afterwards', async (how, error) => {
      probe.addMember('a');
      expect(await probe.api.hasMember('app', 'a', signal)).toBe(true);
      probe.failNext(how);
      await expect(probe.api.hasMember('app', 'a', signal)).rejects.toBeInstanceOf(error);
      expect(await probe.api.hasMember('app', 'a', signal)).toBe(true);
    });

    it('rejects with the reason of an aborted signal', async () => {
      const reason = new Error('the lease is lost');
      await expect(probe.api.hasMember('app', 'a', AbortSignal.abort(reason))).rejects.toBe(reason);
    });
  });
}
