import { beforeEach, describe, expect, it } from 'vitest';
import { TooManyAttemptsError } from '../../src/access/too-many-attempts-error.js';
import { type AccessWorld, BY, fields, from, MINUTE_MS, OTHER, PASSWORD, results } from '../support/access-world.js';

/** Three attempts an account and six an address, in fifteen minutes. */
export function describeGuessing(world: AccessWorld): void {
  const login = world.login.bind(world);
  let { clock, unitOfWork, here, there } = world;

  beforeEach(() => {
    ({ clock, unitOfWork, here, there } = world);
  });

  describe('guessing', () => {
    beforeEach(async () => {
      await here.users.create(fields('anna'), BY);
    });

    it('locks the account in every process, right password or not, and for a while', async () => {
      for (const rig of [here, there, here]) await expect(login('anna', OTHER, rig)).rejects.toThrow('is wrong');
      const locked = await login('anna', PASSWORD, there, 2).catch((error: unknown) => error);
      expect(locked).toBeInstanceOf(TooManyAttemptsError);
      expect((locked as TooManyAttemptsError).retryAfterMs).toBe(15 * MINUTE_MS);
      expect((await here.users.list())[0]?.lockedUntil).toBeGreaterThan(clock.now());
      clock.skip(15 * MINUTE_MS + 1_000);
      expect((await here.users.list())[0]?.lockedUntil).toBeNull();
      expect((await login('anna')).actor).toBe('anna');
    });

    it('is answered alike for a name that does not exist', async () => {
      const say = async (user: string): Promise<string[]> => {
        const said: string[] = [];
        for (let n = 1; n <= 4; n += 1)
          said.push(
            await login(user, OTHER, here, n).then(
              () => 'in',
              (error: Error) => `${error.name}: ${error.message}`,
            ),
          );
        return said;
      };
      const known = await say('anna');
      expect(await say('nobody')).toEqual(known);
      expect(known[3]).toContain('TooManyAttempts');
      expect((await here.audited('login.locked')).map(({ target }) => target)).toEqual([
        ...['user:(unknown)', 'user:anna'],
      ]);
    });

    it('at once lets no more through than one after another', async () => {
      const rigs = Array.from({ length: 12 }, (_, n) => (n % 2 ? here : there));
      const ends = await results(rigs.map((rig, n) => login('anna', OTHER, rig, 100 + n)));
      expect(ends.filter((end) => end === 'UnauthorizedException')).toHaveLength(3);
      expect(ends.filter((end) => end === 'TooManyAttemptsError')).toHaveLength(9);
      expect(await here.audited('login.locked')).toHaveLength(1);
    });

    it('by one address at many names locks the address, and nobody else', async () => {
      for (let n = 0; n < 6; n += 1) await expect(login(`nobody${n}`, OTHER)).rejects.toThrow('is wrong');
      await expect(login('anna')).rejects.toThrow(TooManyAttemptsError);
      expect((await login('anna', PASSWORD, there, 2)).actor).toBe('anna');
      expect((await here.audited('login.locked'))[0]).toMatchObject({ target: 'address:10.0.0.1' });
    });

    it('is forgotten after a success, so that a few slips never add up', async () => {
      for (let n = 0; n < 4; n += 1) {
        await expect(login('anna', OTHER)).rejects.toThrow('is wrong');
        await login('anna');
      }
      // The address remembers failures, and only those.
      const [row] = await unitOfWork.read(({ manager }) =>
        manager.query<{ attempts: number }[]>('SELECT attempts FROM admin_login_attempt'),
      );
      expect(row?.attempts).toBe(4);
    });

    it('ends for an account that an administrator unlocks', async () => {
      for (let n = 0; n < 3; n += 1) await login('anna', OTHER).catch(() => undefined);
      await expect(login('anna')).rejects.toThrow(TooManyAttemptsError);
      expect((await there.users.change('anna', { unlock: true }, BY)).lockedUntil).toBeNull();
      expect((await login('anna')).actor).toBe('anna');
    });

    it('of the present password in a stolen session is limited too', async () => {
      const guess = () => here.logins.changePassword('anna', { current: OTHER, next: OTHER }, from());
      for (let n = 0; n < 3; n += 1) await expect(guess()).rejects.toThrow('is wrong');
      await expect(guess()).rejects.toThrow(TooManyAttemptsError);
    });

    it('leaves no rows behind', async () => {
      for (let n = 0; n < 5; n += 1) await login(`n${n}`, OTHER, here, n).catch(() => undefined);
      clock.skip(16 * MINUTE_MS);
      await login('anna');
      const rows = await unitOfWork.read(({ manager }) =>
        manager.query<{ subject: string }[]>('SELECT subject FROM admin_login_attempt'),
      );
      expect(rows.map(({ subject }) => subject)).toEqual(['address:10.0.0.1']);
    });
  });
}
