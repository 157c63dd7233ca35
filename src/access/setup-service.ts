import { ForbiddenException, Injectable } from '@nestjs/common';
import { driverErrorKind } from '../database/database-errors.js';
import { AuditedWrites } from './audited-writes.js';
import { digest } from './digest.js';
import { LoginLimiter } from './login-limiter.js';
import type { Credentials, Visitor } from './login-service.js';
import { PasswordHasher } from './password-hasher.js';
import { SessionService, type SignedIn } from './session-service.js';
import { SetupStore } from './setup-store.js';
import { canonicalName } from './user-rules.js';
import { checkName, checkPassword } from './user-service.js';
import { UserStore } from './user-store.js';

export const SETUP_LIFE_MS = 24 * 3_600_000;
const REFUSED =
  'this link is not valid: it was used, has expired, or was never one. A restart of the service prints a new one';

/** The first administrator, made by whoever reads the log: there is no default password to forget about. */
@Injectable()
export class SetupService {
  constructor(
    private readonly links: SetupStore,
    private readonly users: UserStore,
    private readonly hasher: PasswordHasher,
    private readonly limiter: LoginLimiter,
    private readonly sessions: SessionService,
    private readonly writes: AuditedWrites,
  ) {}

  /** True while there is no administrator who can log in. */
  async isNeeded(): Promise<boolean> {
    return (await this.writes.read((tx) => this.users.enabledAdmins(tx))) === 0;
  }

  /** The token of a new link, or null when none is needed. It is told here and nowhere else. */
  async issue(): Promise<string | null> {
    if (!(await this.isNeeded())) return null;
    const token = this.links.newToken();
    await this.writes.write((tx, now) => this.links.create(tx, digest(token), now, now + SETUP_LIFE_MS));
    return token;
  }

  /** Makes the administrator and logs in. Throws 403 for a token that is not valid, and 400 for a bad name or password. */
  async use(token: string, { name: given, password }: Credentials, { address, sessionId }: Visitor): Promise<SignedIn> {
    const attempt = { address, name: null };
    const name = canonicalName(given);
    await this.limiter.begin(attempt);
    const tokenHash = digest(token);
    // First a look, so that hashing a password is work for nobody but the one who has the link.
    if (!(await this.writes.read((tx) => this.links.isValid(tx, tokenHash, this.writes.now()))))
      throw new ForbiddenException(REFUSED);
    checkName(name);
    checkPassword(password, name);
    const passwordHash = await this.hasher.hash(password);
    const signedIn = await this.writes
      .write(async (tx, now) => {
        if (!(await this.links.use(tx, tokenHash, now))) return null;
        if ((await this.users.enabledAdmins(tx)) > 0) return null;
        const rights = { role: 'admin' as const, permissions: [] };
        await this.users.create(tx, { ...rights, name, passwordHash, createdAt: now, createdBy: 'setup' });
        const user = await this.users.byName(tx, name);
        await this.limiter.succeeded(tx, attempt);
        await this.writes.record(tx, { actor: name, address }, 'setup', `user:${name}`);
        return user && (await this.sessions.open(tx, user, sessionId, now));
      })
      // Somebody who is no administrator has that name.
      .catch((error: unknown) => {
        if (driverErrorKind(error) === 'duplicate-key') throw new ForbiddenException(`there is a user ${name} already`);
        throw error;
      });
    if (signedIn === null) throw new ForbiddenException(REFUSED);
    return signedIn;
  }
}
