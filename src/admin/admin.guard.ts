import { Inject, Injectable, UnauthorizedException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { createHash, timingSafeEqual } from 'node:crypto';
import { CONFIG, type Config } from '../config/config.js';

export interface AdminRequest extends FastifyRequest {
  /** Who acts: the name that histories and audit rows show. */
  actor?: string;
}

/** Bearer token of the admin API. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme !== 'Bearer' || !token || !equal(token, this.config.adminToken)) {
      throw new UnauthorizedException('a bearer token is needed: see DATA_DIR/admin-token or ADMIN_TOKEN');
    }
    request.actor = this.config.adminActor;
    return true;
  }
}

/** Over digests, so that neither content nor length shows in the time it takes. */
function equal(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
