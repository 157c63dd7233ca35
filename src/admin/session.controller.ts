import { Body, ForbiddenException, Inject, Req, Res, UnauthorizedException, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LoginService } from '../access/login-service.js';
import type { OpenSession } from '../access/principal.js';
import { SessionService, type SignedIn } from '../access/session-service.js';
import { SetupService } from '../access/setup-service.js';
import { CONFIG, type Config } from '../config/config.js';
import { LoginBody, PasswordBody } from './access-body.js';
import { AdminController, AdminDelete, AdminGet, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { byOf } from './by-of.js';
import { checkCookieArrives } from './cookie-check.js';
import { clearSessionCookie, sessionIdOf, setSessionCookie } from './session-cookie.js';
import { sessionView, SessionView } from './session-view.js';
import { TooManyAttemptsFilter } from './too-many-attempts.filter.js';

/** Sessions of people, in a cookie that no script can read. */
@AdminController('session')
@UseFilters(TooManyAttemptsFilter)
export class SessionController {
  constructor(
    private readonly logins: LoginService,
    private readonly sessions: SessionService,
    private readonly setup: SetupService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @AdminPost('', 'open', SessionView, 'Logs in. 401: name or password is wrong; 429: too often, see Retry-After')
  async login(
    @Body(adminValidation()) body: LoginBody,
    @Req() request: AdminRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    checkCookieArrives(request, this.config.access);
    const visitor = { address: request.ip, sessionId: sessionIdOf(request) };
    return this.begun(reply, await this.logins.login(body, visitor));
  }

  @AdminGet('', 'open', SessionView, 'Who is logged in. 401 with setupNeeded when nobody is')
  async current(@Req() request: AdminRequest): Promise<SessionView> {
    const id = sessionIdOf(request);
    const found = id === null ? null : await this.sessions.find(id);
    if (found !== null) return sessionView(found);
    const setupNeeded = await this.setup.isNeeded();
    throw new UnauthorizedException({ statusCode: 401, message: 'nobody is logged in', setupNeeded });
  }

  @AdminDelete('', 'viewer', 'Logs out')
  async logout(@Req() request: AdminRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.end(sessionOf(request).id, byOf(request));
    clearSessionCookie(reply, this.config.access.secureCookie);
  }

  @AdminPost('password', 'viewer', SessionView, 'Changes one’s own password. All sessions end, and a new one begins')
  async changePassword(
    @Body(adminValidation()) body: PasswordBody,
    @Req() request: AdminRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    const { id: sessionId } = sessionOf(request);
    const visitor = { address: request.ip, sessionId };
    return this.begun(reply, await this.logins.changePassword(request.actor ?? '', body, visitor));
  }

  private begun(reply: FastifyReply, signedIn: SignedIn): SessionView {
    setSessionCookie(reply, signedIn.session.id, this.config.access.secureCookie);
    return sessionView(signedIn);
  }
}

function sessionOf({ principal }: AdminRequest): OpenSession {
  if (!principal?.session) throw new ForbiddenException('this is for sessions; a token has none');
  return principal.session;
}
