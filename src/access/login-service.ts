import { BadRequestException, Injectable, UnauthorizedException } from '@nestjs/common';
import { AuditedWrites } from './audited-writes.js';
import { LoginLimiter, type Attempt } from './login-limiter.js';
import { PasswordHasher } from './password-hasher.js';
import { ANONYMOUS } from './principal.js';
import { SessionService, type SignedIn } from './session-service.js';
import { SessionStore } from './session-store.js';
import { canonicalName, passwordFault } from './user-rules.js';
import { UserStore, type AdminUser } from './user-store.js';

export interface Credentials {
  readonly name: string;
  readonly password: string;
}

/** From where a browser logs in. */
export interface Visitor {
  readonly address: string;
  /** The id of the session that it has already. */
  readonly sessionId: string | null;
}

// One sentence for every reason: an unknown name, a wrong password, an account that is disabled.
const REFUSED = 'name or password is wrong';

/** Passwords: logging in with one, and changing one's own. */
@Injectable()
export class LoginService {
  constructor(
    private readonly writes: AuditedWrites,
    private readonly users: UserStore,
    private readonly hasher: PasswordHasher,
    private readonly limiter: LoginLimiter,
    private readonly sessions: SessionService,
    private readonly sessionRows: SessionStore,
  ) {}

  /** Throws 401 for what is wrong and `TooManyAttemptsError` for too much of it. */
  async login({ name: given, password }: Credentials, { address, sessionId }: Visitor): Promise<SignedIn> {
    const name = canonicalName(given);
    const attempt = { address, name };
    const user = await this.verified(attempt, password);
    const signedIn =
      user &&
      (await this.writes.write(async (tx, now) => {
        const opened = await this.sessions.open(tx, user, sessionId, now);
        if (opened === null) return null;
        await this.limiter.succeeded(tx, attempt);
        await this.writes.record(tx, { actor: name, address }, 'login', `user:${name}`);
        return opened;
      }));
    return signedIn ?? this.refuse(attempt, 'login.refused');
  }

  /** All sessions of the user end, and a new one begins. Throws as `login` does, and 400 for a new password that is none. */
  async changePassword(
    name: string,
    { current, next }: { readonly current: string; readonly next: string },
    { address }: Visitor,
  ): Promise<SignedIn> {
    const fault = passwordFault(next, name);
    if (fault !== null) throw new BadRequestException([fault]);
    const attempt = { address, name };
    const user = await this.verified(attempt, current);
    if (user === null) return this.refuse(attempt, 'password.refused');
    const passwordHash = await this.hasher.hash(next);
    const signedIn = await this.writes.write(async (tx, now) => {
      if (!(await this.users.change(tx, user, { passwordHash }))) return null;
      await this.sessionRows.endAll(tx, user.id);
      const changed = { ...user, version: user.version + 1 };
      const opened = await this.sessions.open(tx, changed, null, now);
      await this.limiter.succeeded(tx, attempt);
      await this.writes.record(tx, { actor: name, address }, 'password.change', `user:${name}`);
      return opened;
    });
    return signedIn ?? this.refuse(attempt, 'password.refused');
  }

  /** The user whose password it is, or null. */
  private async verified(attempt: Attempt & { name: string }, password: string): Promise<AdminUser | null> {
    await this.limiter.begin(attempt);
    const user = await this.writes.read((tx) => this.users.byName(tx, attempt.name));
    try {
      const isRight = await this.hasher.verify(user?.passwordHash ?? null, password);
      return isRight && user !== null && !user.isDisabled ? user : null;
    } catch (error) {
      await this.limiter.undecided(attempt);
      throw error;
    }
  }

  private async refuse({ address, name }: Attempt & { name: string }, action: string): Promise<never> {
    await this.writes.write(async (tx) => {
      const target = await this.limiter.targetOf(tx, name);
      await this.writes.record(tx, { actor: ANONYMOUS, address }, action, target);
    });
    throw new UnauthorizedException(REFUSED);
  }
}
