import { Module, type OnApplicationBootstrap } from '@nestjs/common';
import { AttemptStore } from './attempt-store.js';
import { AuditLog } from './audit-log.js';
import { AuditedWrites } from './audited-writes.js';
import { Authenticator } from './authenticator.js';
import { LoginLimiter } from './login-limiter.js';
import { LoginService } from './login-service.js';
import { PasswordHasher } from './password-hasher.js';
import { SessionService } from './session-service.js';
import { SessionStore } from './session-store.js';
import { SetupService } from './setup-service.js';
import { SetupStore } from './setup-store.js';
import { TokenService } from './token-service.js';
import { TokenStore } from './token-store.js';
import { UserService } from './user-service.js';
import { UserStore } from './user-store.js';

/** Who may do what on the admin API: accounts, sessions, tokens, and the audit of what they did. */
@Module({
  providers: [
    ...[AuditLog, AuditedWrites, UserStore, SessionStore, TokenStore, AttemptStore, SetupStore, PasswordHasher],
    ...[LoginLimiter, SessionService, LoginService, UserService, TokenService, SetupService, Authenticator],
  ],
  exports: [
    AuditLog,
    AuditedWrites,
    Authenticator,
    SessionService,
    LoginService,
    UserService,
    TokenService,
    SetupService,
  ],
})
export class AccessModule implements OnApplicationBootstrap {
  constructor(private readonly hasher: PasswordHasher) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.hasher.warmUp();
  }
}
