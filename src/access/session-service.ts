import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type AccessConfig, type Config } from '../config/config.js';
import type { Tx } from '../database/unit-of-work.js';
import { Random } from '../runtime/random.js';
import { AuditedWrites } from './audited-writes.js';
import { digest } from './digest.js';
import type { OpenSession, Principal } from './principal.js';
import { SessionStore } from './session-store.js';
import { UserStore, type AdminUser } from './user-store.js';

/** Somebody who has just logged in. */
export interface SignedIn extends Principal {
  readonly session: OpenSession;
}

const ID_BYTES = 32;
const SESSIONS_OF_USER_MAX = 20;
const TOUCH_EVERY_MS_MAX = 60_000;

/** Sessions of users, in the database: every admin process knows them, and each sees at once that one has ended. */
@Injectable()
export class SessionService {
  private readonly settings: AccessConfig;

  constructor(
    private readonly writes: AuditedWrites,
    private readonly sessions: SessionStore,
    private readonly users: UserStore,
    private readonly random: Random,
    @Inject(CONFIG) { access }: Config,
  ) {
    this.settings = access;
  }

  /**
   * Begins a session with a new id, in the transaction of a login; `replaced` is the id that the browser had, and ends. Null when the
   * user has been changed since `user` was read: then the password that was checked proves nothing.
   */
  async open(tx: Tx, user: AdminUser, replaced: string | null, now: number): Promise<SignedIn | null> {
    if (!(await this.users.loggedIn(tx, user, now))) return null;
    if (replaced !== null) await this.sessions.end(tx, digest(replaced));
    await this.sessions.removeExpired(tx, now);
    await this.sessions.endOldest(tx, user.id, SESSIONS_OF_USER_MAX - 1);
    const id = this.random.bytes(ID_BYTES).toString('base64url');
    const { id: userId, version: userVersion } = user;
    const expiresAt = now + this.settings.sessionMaxMs;
    await this.sessions.create(tx, { idHash: digest(id), userId, userVersion, createdAt: now, expiresAt });
    return { ...rightsOf(user), actor: user.name, session: { id, userId, expiresAt: this.until(now, expiresAt) } };
  }

  /** Whose session it is, and that it is in use; null when it is none, or has ended. */
  async find(id: string): Promise<SignedIn | null> {
    const { sessionIdleMs } = this.settings;
    const now = this.writes.now();
    const idHash = digest(id);
    const found = await this.writes.read((tx) => this.sessions.find(tx, idHash, now, now - sessionIdleMs));
    if (found === null) return null;
    const { userName: actor, userId, lastSeenAt, expiresAt } = found;
    // Not at each request: that would make a write of every read.
    if (lastSeenAt + Math.min(TOUCH_EVERY_MS_MAX, sessionIdleMs / 10) <= now)
      await this.writes.write((tx) => this.sessions.touch(tx, idHash, now));
    return { ...rightsOf(found), actor, session: { id, userId, expiresAt: this.until(now, expiresAt) } };
  }

  async end(id: string, { actor, address }: { actor: string; address: string }): Promise<void> {
    await this.writes.write(async (tx) => {
      if (await this.sessions.end(tx, digest(id)))
        await this.writes.record(tx, { actor, address }, 'logout', `user:${actor}`);
    });
  }

  private until(now: number, expiresAt: number): number {
    return Math.min(now + this.settings.sessionIdleMs, expiresAt);
  }
}

function rightsOf({
  role,
  permissions,
}: Pick<AdminUser, 'role' | 'permissions'>): Pick<AdminUser, 'role' | 'permissions'> {
  return { role, permissions };
}
