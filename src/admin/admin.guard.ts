import {
  ForbiddenException,
  Injectable,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { lacking, type AccessRule } from '../access/access-rule.js';
import { Authenticator } from '../access/authenticator.js';
import { csrfTokenOf, equalSecrets } from '../access/digest.js';
import type { Principal } from '../access/principal.js';
import { isSameOrigin } from '../access/same-origin.js';
import { sessionIdOf } from './session-cookie.js';

export interface AdminRequest extends FastifyRequest {
  /** Who acts: the name that histories and audit rows show. */
  actor?: string;
  /** Not on open routes. */
  principal?: Principal;
}

/** Set by the decorators of routes. */
export const ACCESS_RULE = Symbol('ACCESS_RULE');
export const CSRF_HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const NOBODY =
  'log in, or send a bearer token: ADMIN_TOKEN, the one in DATA_DIR/admin-token, or one made by an administrator';

/**
 * Before each route of the admin API: who sends the request, whether it was meant, and whether they may. A bearer token
 * is never sent by a browser on its own, so what protects cookies from other sites' pages is for sessions alone.
 */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AdminRequest>();
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS_RULE, context.getHandler());
    const isBearer = request.headers.authorization !== undefined;
    const isChange = !SAFE_METHODS.has(request.method);
    if (isChange && !isBearer && !isSameOrigin(request.headers, request.host))
      throw new ForbiddenException('the request comes from a page of another site');
    if (rule === 'open') return true;
    const principal = await this.principal(request);
    if (principal === null) throw new UnauthorizedException(NOBODY);
    if (isChange && principal.session !== null) checkCsrf(request, principal.session.id);
    const lacks = lacking(rule, principal);
    if (lacks !== null) throw new ForbiddenException(lacks);
    request.principal = principal;
    request.actor = principal.actor;
    return true;
  }

  /** A header that is there is what counts: a wrong token is not made good by a cookie. */
  private async principal(request: AdminRequest): Promise<Principal | null> {
    const { authorization } = request.headers;
    if (authorization !== undefined) return this.authenticator.byBearer(authorization);
    const id = sessionIdOf(request);
    return id === null ? null : this.authenticator.bySession(id);
  }
}

function checkCsrf(request: AdminRequest, sessionId: string): void {
  const given = request.headers[CSRF_HEADER];
  if (typeof given !== 'string' || !equalSecrets(given, csrfTokenOf(sessionId)))
    throw new ForbiddenException('the header X-CSRF-Token must be the csrfToken of the session');
}
