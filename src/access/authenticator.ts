import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { PERMISSIONS } from './admin-role.js';
import { equalSecrets } from './digest.js';
import type { Principal } from './principal.js';
import { SessionService, type SignedIn } from './session-service.js';
import { TokenService } from './token-service.js';

/** Who sent a request, by what it brings. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly tokens: TokenService,
    private readonly sessions: SessionService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Of `Authorization: Bearer <token>`: ADMIN_TOKEN, which may do everything, or one that an administrator made. */
  async byBearer(authorization: string): Promise<Principal | null> {
    const [scheme = '', token = '', ...rest] = authorization.split(' ');
    if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0) return null;
    if (equalSecrets(token, this.config.adminToken))
      return { actor: this.config.adminActor, role: 'admin', permissions: PERMISSIONS, session: null };
    return this.tokens.find(token);
  }

  bySession(id: string): Promise<SignedIn | null> {
    return this.sessions.find(id);
  }
}
