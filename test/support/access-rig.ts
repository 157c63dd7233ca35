import { AttemptStore } from '../../src/access/attempt-store.js';
import { AuditLog, type AuditEntry } from '../../src/access/audit-log.js';
import { AuditedWrites } from '../../src/access/audited-writes.js';
import { LoginLimiter } from '../../src/access/login-limiter.js';
import { LoginService } from '../../src/access/login-service.js';
import { PasswordHasher } from '../../src/access/password-hasher.js';
import { SessionService } from '../../src/access/session-service.js';
import { SessionStore } from '../../src/access/session-store.js';
import { SetupService } from '../../src/access/setup-service.js';
import { SetupStore } from '../../src/access/setup-store.js';
import { TokenService } from '../../src/access/token-service.js';
import { TokenStore } from '../../src/access/token-store.js';
import { UserService } from '../../src/access/user-service.js';
import { UserStore } from '../../src/access/user-store.js';
import { loadConfig } from '../../src/config/load-config.js';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { Clock } from '../../src/runtime/clock.js';
import { SystemRandom } from '../../src/runtime/system-random.js';
import { configSources } from './config-sources.js';

/** What an admin process knows of access, wired as its module does it. Two of them on one database are two processes. */
export class AccessRig {
  readonly audit = new AuditLog();
  readonly hasher: PasswordHasher;
  readonly logins: LoginService;
  readonly sessions: SessionService;
  readonly setup: SetupService;
  readonly tokens: TokenService;
  readonly users: UserService;

  constructor(
    readonly unitOfWork: UnitOfWork,
    clock: Clock,
    env: Record<string, string> = {},
  ) {
    const sources = configSources('', { ROLE: 'admin', ...env }, () => '');
    const config = loadConfig(sources);
    const random = new SystemRandom();
    const writes = new AuditedWrites(unitOfWork, this.audit, clock);
    const [users, sessions] = [new UserStore(), new SessionStore()];
    const limiter = new LoginLimiter(new AttemptStore(), users, writes, config);
    this.hasher = new PasswordHasher(random);
    this.sessions = new SessionService(writes, sessions, users, random, config);
    this.logins = new LoginService(writes, users, this.hasher, limiter, this.sessions, sessions);
    this.users = new UserService(writes, users, sessions, this.hasher, limiter);
    this.tokens = new TokenService(writes, new TokenStore(), random);
    this.setup = new SetupService(new SetupStore(random), users, this.hasher, limiter, this.sessions, writes);
  }

  /** Newest first. */
  audited(action?: string): Promise<AuditEntry[]> {
    return this.unitOfWork.read((tx) => this.audit.list(tx, { action, limit: 1_000 }));
  }
}
