import { Body, Inject, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SetupService } from '../access/setup-service.js';
import { CONFIG, type Config } from '../config/config.js';
import { SetupBody } from './access-body.js';
import { AdminController, AdminPost } from './admin-controller.decorator.js';
import type { AdminRequest } from './admin.guard.js';
import { adminValidation } from './admin-validation.js';
import { checkCookieArrives } from './cookie-check.js';
import { sessionIdOf, setSessionCookie } from './session-cookie.js';
import { sessionView, SessionView } from './session-view.js';
import { TooManyAttemptsFilter } from './too-many-attempts.filter.js';

@AdminController('setup')
@UseFilters(TooManyAttemptsFilter)
export class SetupController {
  constructor(
    private readonly setup: SetupService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @AdminPost('', 'open', SessionView, 'Makes the first administrator, by the link in the log. 403: it is not valid')
  async use(
    @Body(adminValidation()) { token, ...credentials }: SetupBody,
    @Req() request: AdminRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionView> {
    checkCookieArrives(request, this.config.access);
    const visitor = { address: request.ip, sessionId: sessionIdOf(request) };
    const signedIn = await this.setup.use(token, credentials, visitor);
    setSessionCookie(reply, signedIn.session.id, this.config.access.secureCookie);
    return sessionView(signedIn);
  }
}
