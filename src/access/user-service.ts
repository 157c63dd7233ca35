import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { driverErrorKind } from '../database/database-errors.js';
import type { Tx } from '../database/unit-of-work.js';
import type { AdminRole, Permission } from './admin-role.js';
import { AuditedWrites } from './audited-writes.js';
import { LoginLimiter } from './login-limiter.js';
import { PasswordHasher } from './password-hasher.js';
import type { By } from './principal.js';
import { SessionStore } from './session-store.js';
import { canonicalName, NAME, passwordFault } from './user-rules.js';
import { UserStore, type AdminUser } from './user-store.js';

export interface UserFields {
  readonly name: string;
  readonly role: AdminRole;
  readonly permissions: readonly Permission[];
  readonly password: string;
}

export interface UserChanges {
  readonly role?: AdminRole;
  readonly permissions?: readonly Permission[];
  readonly disabled?: boolean;
  readonly password?: string;
  /** Ends a pause after failed logins. */
  readonly unlock?: boolean;
}

export interface ListedUser extends AdminUser {
  /** Null: not. */
  readonly lockedUntil: number | null;
}

export const USERS_MAX = 1_000;
const LAST_ADMIN = 'this is the last administrator who can log in: make another one first';

/** What administrators do with accounts. Each change ends the user's sessions and commits with its audit row. */
@Injectable()
export class UserService {
  constructor(
    private readonly writes: AuditedWrites,
    private readonly users: UserStore,
    private readonly sessions: SessionStore,
    private readonly hasher: PasswordHasher,
    private readonly limiter: LoginLimiter,
  ) {}

  async list(): Promise<ListedUser[]> {
    return this.writes.read(async (tx) => {
      const users = await this.users.list(tx, USERS_MAX);
      return this.withLocks(tx, users);
    });
  }

  /** Throws 409 for a name that is taken. */
  async create(fields: UserFields, by: By): Promise<ListedUser> {
    const name = canonicalName(fields.name);
    const { role, permissions, password } = fields;
    checkName(name);
    checkPassword(password, name);
    const passwordHash = await this.hasher.hash(password);
    return this.writes
      .write(async (tx, createdAt) => {
        if ((await this.users.count(tx)) >= USERS_MAX)
          throw new ConflictException(`there are ${USERS_MAX} users already`);
        await this.users.create(tx, { name, role, permissions, passwordHash, createdAt, createdBy: by.actor });
        await this.writes.record(tx, by, 'user.create', `user:${name}`, { role, permissions });
        return this.found(tx, name);
      })
      .catch((error: unknown) => {
        if (driverErrorKind(error) === 'duplicate-key') throw new ConflictException(`there is a user ${name} already`);
        throw error;
      });
  }

  /** Throws 404, and 409 for what would leave no administrator. */
  async change(given: string, changes: UserChanges, by: By): Promise<ListedUser> {
    const name = canonicalName(given);
    const { role, permissions, disabled, password, unlock } = changes;
    if (password !== undefined) checkPassword(password, name);
    const passwordHash = password === undefined ? undefined : await this.hasher.hash(password);
    return this.writes.write(async (tx) => {
      await this.users.lockAdmins(tx);
      const user = await this.found(tx, name);
      const after = { role: role ?? user.role, isDisabled: disabled ?? user.isDisabled };
      await this.keepAnAdmin(tx, user, after.role === 'admin' && !after.isDisabled);
      if ([role, permissions, disabled, password].some((one) => one !== undefined)) {
        await this.users.change(tx, user, { role, permissions, isDisabled: disabled, passwordHash });
        await this.sessions.endAll(tx, user.id);
      }
      // A new password is meant for logging in with it now.
      if (unlock === true || password !== undefined) await this.limiter.unlock(tx, name);
      const detail = { role, permissions, disabled, password: password === undefined ? undefined : 'changed', unlock };
      await this.writes.record(tx, by, 'user.change', `user:${name}`, detail);
      return this.found(tx, name);
    });
  }

  async remove(given: string, by: By): Promise<void> {
    const name = canonicalName(given);
    await this.writes.write(async (tx) => {
      await this.users.lockAdmins(tx);
      const user = await this.found(tx, name);
      await this.keepAnAdmin(tx, user, false);
      await this.users.remove(tx, user);
      await this.sessions.endAll(tx, user.id);
      await this.limiter.unlock(tx, name);
      await this.writes.record(tx, by, 'user.delete', `user:${name}`);
    });
  }

  private async keepAnAdmin(tx: Tx, user: AdminUser, staysOne: boolean): Promise<void> {
    const isOne = user.role === 'admin' && !user.isDisabled;
    if (isOne && !staysOne && (await this.users.enabledAdmins(tx)) <= 1) throw new ConflictException(LAST_ADMIN);
  }

  private async found(tx: Tx, name: string): Promise<ListedUser> {
    const user = await this.users.byName(tx, name);
    if (user === null) throw new NotFoundException(`there is no user ${name}`);
    const [listed] = await this.withLocks(tx, [user]);
    return listed ?? { ...user, lockedUntil: null };
  }

  private async withLocks(tx: Tx, users: readonly AdminUser[]): Promise<ListedUser[]> {
    const names = users.map(({ name }) => name);
    const locked = await this.limiter.lockedUntil(tx, names);
    return users.map((user) => ({ ...user, lockedUntil: locked.get(user.name) ?? null }));
  }
}

export function checkName(name: string): void {
  if (!NAME.test(name))
    throw new BadRequestException(['name must have 1 to 64 letters, digits, or characters of ". _ - @"']);
}

export function checkPassword(password: string, name: string): void {
  const fault = passwordFault(password, name);
  if (fault !== null) throw new BadRequestException([fault]);
}
