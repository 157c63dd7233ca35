import { BadRequestException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { dropsSecureCookies } from '../access/same-origin.js';
import type { AccessConfig } from '../config/config.js';

/** Throws 400 where the browser would drop the session's cookie in silence and show the login again, and says why. */
export function checkCookieArrives({ headers }: FastifyRequest, { secureCookie }: AccessConfig): void {
  if (secureCookie && dropsSecureCookies(headers))
    throw new BadRequestException(
      'log in over https or on loopback: the session’s cookie is for these alone, unless SESSION_COOKIE_SECURE=false',
    );
}
