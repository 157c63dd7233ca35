import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TooManyAttemptsError } from '../../src/access/too-many-attempts-error.js';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { AccessWorld, BY, fields, from, MINUTE_MS, OTHER, PASSWORD, results } from '../support/access-world.js';
import { describeGuessing } from './access.guessing.js';

export interface AccessHarness {
  /** A database with the tables of the migrations, and nothing in those of access and audit. */
  make(): Promise<UnitOfWork>;
  close(): Promise<void>;
}

const TABLES = ['admin_user', 'admin_session', 'admin_token', 'admin_login_attempt', 'admin_setup', 'audit'];

/** The promises of access that rest on the database; `here` and `there` are two processes on it. */
export function describeAccess(name: string, harness: AccessHarness): void {
  describe(name, () => {
    const world = new AccessWorld();
    const login = world.login.bind(world);
    let { clock, unitOfWork, here, there } = world;

    beforeEach(async () => {
      world.open(await harness.make());
      ({ clock, unitOfWork, here, there } = world);
    });
    afterEach(() => harness.close());

    describe('accounts', () => {
      it('have names that differ by case, and a name once', async () => {
        await here.users.create(fields('Anna'), BY);
        await here.users.create(fields('anna'), BY);
        await expect(there.users.create(fields('anna'), BY)).rejects.toThrow('there is a user anna already');
        expect((await here.users.list()).map((user) => user.name)).toEqual(['Anna', 'anna']);
      });

      it('are one, however the keyboard composed the name, of any script', async () => {
        await here.users.create(fields('Ren\u0065\u0301'), BY);
        await here.users.create(fields('张三'), BY);
        expect((await login('Ren\u00e9')).actor).toBe('Ren\u00e9');
        expect((await login('张三')).actor).toBe('张三');
      });

      it('keep one administrator when two take the role from each other at once', async () => {
        for (let round = 0; round < 5; round += 1) {
          await here.users.create(fields(`a${round}`, { role: 'admin' }), BY);
          await here.users.create(fields(`b${round}`, { role: 'admin' }), BY);
          const ends = [
            here.users.change(`a${round}`, { role: 'operator' }, BY),
            there.users.change(`b${round}`, { disabled: true }, BY),
          ];
          expect((await results(ends)).sort()).toEqual(['ConflictException', 'done']);
          const admins = (await here.users.list()).filter((user) => user.role === 'admin' && !user.isDisabled);
          expect(admins).toHaveLength(1);
          await expect(here.users.remove(admins[0]?.name ?? '', BY)).rejects.toThrow('last administrator');
          await unitOfWork.write(({ manager }) => manager.query('DELETE FROM admin_user'));
        }
      });
    });

    describe('sessions', () => {
      beforeEach(async () => {
        await here.users.create(fields('anna', { role: 'operator', permissions: ['payload'] }), BY);
      });

      it('are known to every process, and end in all of them', async () => {
        const { session } = await login('anna');
        expect(await there.sessions.find(session.id)).toMatchObject({
          ...{ actor: 'anna', role: 'operator', permissions: ['payload'] },
        });
        await there.sessions.end(session.id, { actor: 'anna', address: '::1' });
        expect(await here.sessions.find(session.id)).toBeNull();
      });

      it('get a new id at each login, and the one that the browser had ends', async () => {
        const first = await login('anna');
        const second = await here.logins.login({ name: 'anna', password: PASSWORD }, from(1, first.session.id));
        expect(second.session.id).not.toBe(first.session.id);
        expect(await here.sessions.find(first.session.id)).toBeNull();
        expect(await here.sessions.find(second.session.id)).not.toBeNull();
      });

      it('end when they are not used, and go on when they are', async () => {
        const { session } = await login('anna');
        for (let n = 0; n < 3; n += 1) {
          clock.skip(29 * MINUTE_MS);
          expect(await (n % 2 ? here : there).sessions.find(session.id), `after ${n}`).not.toBeNull();
        }
        clock.skip(31 * MINUTE_MS);
        expect(await here.sessions.find(session.id)).toBeNull();
      });

      it('end after twelve hours, however much they are used', async () => {
        const { session } = await login('anna');
        for (let n = 0; n < 35; n += 1) {
          clock.skip(20 * MINUTE_MS);
          await here.sessions.find(session.id);
        }
        const last = await here.sessions.find(session.id);
        expect((last?.session.expiresAt ?? 0) - clock.now()).toBeLessThanOrEqual(20 * MINUTE_MS);
        clock.skip(20 * MINUTE_MS);
        expect(await here.sessions.find(session.id)).toBeNull();
      });

      it.each([
        ['role', { role: 'admin' }],
        ['permissions', { permissions: [] }],
        ['password', { password: OTHER }],
        ['being disabled', { disabled: true }],
      ] as const)('end when an administrator changes the %s', async (_what, change) => {
        const { session } = await login('anna');
        await there.users.change('anna', change, BY);
        expect(await here.sessions.find(session.id)).toBeNull();
      });

      it('do not begin with a password that was changed while it was checked', async () => {
        const ends = await results([
          login('anna'),
          there.users.change('anna', { password: OTHER }, BY),
          login('anna', PASSWORD, there, 2),
        ]);
        expect(ends[1]).toBe('done');
        const rows = await unitOfWork.read(({ manager }) =>
          manager.query<unknown[]>(
            'SELECT 1 FROM admin_session s JOIN admin_user u ON u.id = s.user_id AND u.version = s.user_version',
          ),
        );
        expect(rows).toEqual([]);
      });

      it('all end when a user changes the password, and a new one begins', async () => {
        const [one, two] = [await login('anna'), await login('anna', PASSWORD, there, 2)];
        const changed = await here.logins.changePassword('anna', { current: PASSWORD, next: OTHER }, from());
        for (const { session } of [one, two]) expect(await there.sessions.find(session.id)).toBeNull();
        expect(await there.sessions.find(changed.session.id)).toMatchObject({ actor: 'anna' });
        await expect(login('anna')).rejects.toThrow('name or password is wrong');
        expect((await login('anna', OTHER)).actor).toBe('anna');
      });

      it('are at most twenty of one user: the oldest goes', async () => {
        const first = await login('anna');
        for (let n = 0; n < 20; n += 1) {
          clock.skip(1_000);
          await login('anna');
        }
        expect(await here.sessions.find(first.session.id)).toBeNull();
        const rows = await unitOfWork.read(({ manager }) => manager.query<unknown[]>('SELECT 1 FROM admin_session'));
        expect(rows).toHaveLength(20);
      });

      it('of a user who was deleted do not come back with another of that name', async () => {
        const { session } = await login('anna');
        await here.users.remove('anna', BY);
        await here.users.create(fields('anna'), BY);
        expect(await here.sessions.find(session.id)).toBeNull();
      });
    });

    describeGuessing(world);

    describe('the first administrator', () => {
      it('is made once, though a link is used twice at once', async () => {
        const token = (await here.setup.issue()) ?? '';
        const ends = await results([
          here.setup.use(token, { name: 'root', password: PASSWORD }, from()),
          there.setup.use(token, { name: 'toor', password: PASSWORD }, from(2)),
        ]);
        expect(ends.sort()).toEqual(['ForbiddenException', 'done']);
        expect(await here.users.list()).toHaveLength(1);
      });

      it('is made once by the links of two processes used at once', async () => {
        const tokens = [(await here.setup.issue()) ?? '', (await there.setup.issue()) ?? ''];
        const ends = await results([
          here.setup.use(tokens[0]!, { name: 'root', password: PASSWORD }, from()),
          there.setup.use(tokens[1]!, { name: 'toor', password: PASSWORD }, from(2)),
        ]);
        expect(ends.sort()).toEqual(['ForbiddenException', 'done']);
        expect(await here.users.list()).toHaveLength(1);
        expect([await here.setup.issue(), await here.setup.isNeeded()]).toEqual([null, false]);
      });

      it('is logged in, has the role and no permission beside it', async () => {
        const token = (await here.setup.issue()) ?? '';
        const made = await here.setup.use(token, { name: 'root', password: PASSWORD }, from());
        expect(await there.sessions.find(made.session.id)).toMatchObject({ role: 'admin', permissions: [] });
      });

      it('is not made by a link that is a day old, that was never one, or with a bad password', async () => {
        const token = (await here.setup.issue()) ?? '';
        const use = (given: string, password = PASSWORD) => here.setup.use(given, { name: 'root', password }, from());
        await expect(use('x'.repeat(43))).rejects.toThrow('not valid');
        // A bad password leaves the link as it is.
        await expect(use(token, 'short')).rejects.toThrow();
        clock.skip(24 * 60 * MINUTE_MS + 1);
        await expect(use(token)).rejects.toThrow('not valid');
        expect((await use((await here.setup.issue()) ?? '')).actor).toBe('root');
      });

      it('is not made by a link that is left over when there is one already', async () => {
        const token = (await here.setup.issue()) ?? '';
        await there.users.create(fields('anna', { role: 'admin' }), BY);
        const use = here.setup.use(token, { name: 'root', password: PASSWORD }, from());
        await expect(use).rejects.toThrow('not valid');
      });

      it('is not guessed: the address is locked', async () => {
        const use = () => here.setup.use('x'.repeat(43), { name: 'root', password: PASSWORD }, from());
        for (let n = 0; n < 6; n += 1) await expect(use()).rejects.toThrow('not valid');
        await expect(use()).rejects.toThrow(TooManyAttemptsError);
      });
    });

    describe('tokens', () => {
      const token = (expiresAt: number | null = null) =>
        here.tokens.create({ name: 'ci', role: 'operator', permissions: ['payload'], expiresAt }, BY);

      it('are known to every process until they are revoked', async () => {
        const made = await token();
        expect(made.token).toMatch(/^wcg_[A-Za-z0-9]{43}$/);
        const principal = { actor: 'token:ci', role: 'operator', permissions: ['payload'], session: null };
        expect(await there.tokens.find(made.token)).toEqual(principal);
        await there.tokens.revoke(made.id, BY);
        await there.tokens.revoke(made.id, BY);
        expect(await here.tokens.find(made.token)).toBeNull();
        expect(await here.audited('token.revoke')).toHaveLength(1);
      });

      it('end when they expire, and are gone from the list later', async () => {
        const made = await token(clock.now() + MINUTE_MS);
        expect(await here.tokens.find(made.token)).not.toBeNull();
        clock.skip(MINUTE_MS);
        expect(await here.tokens.find(made.token)).toBeNull();
        await expect(token(clock.now())).rejects.toThrow();
        clock.skip(91 * 86_400_000);
        const { id } = await token();
        expect((await here.tokens.list()).map((one) => one.id)).toEqual([id]);
      });

      it('tell when they were used last, to the minute', async () => {
        const { token: text } = await token();
        const used = async () => (await here.tokens.list())[0]?.lastUsedAt ?? null;
        expect(await used()).toBeNull();
        await here.tokens.find(text);
        const first = await used();
        expect(first).not.toBeNull();
        await there.tokens.find(text);
        expect(await used()).toBe(first);
        clock.skip(MINUTE_MS);
        await there.tokens.find(text);
        expect(await used()).toBeGreaterThan(first ?? 0);
      });
    });

    it('keeps no secret that would let in whoever reads the tables', async () => {
      const setup = (await here.setup.issue()) ?? '';
      const { token } = await here.tokens.create({ name: 'ci', role: 'viewer', permissions: [], expiresAt: null }, BY);
      await here.users.create(fields('anna'), BY);
      const { session } = await login('anna');
      await login(PASSWORD, PASSWORD).catch(() => undefined);
      let dump = '';
      for (const table of TABLES) {
        const rows = await unitOfWork.read(({ manager }) => manager.query<object[]>(`SELECT * FROM ${table}`));
        expect(rows.length, table).toBeGreaterThan(0);
        dump += JSON.stringify(rows);
      }
      for (const secret of [setup, token, session.id, PASSWORD]) expect(dump).not.toContain(secret);
      expect(dump).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    });
  });
}
