import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * No `__Host-` or `__Secure-` before it: with those, browsers refuse it on plain HTTP even to loopback, where they take
 * one that is marked `Secure`.
 */
export const SESSION_COOKIE = 'wcg_session';
const PATH = '/admin';
/** 32 bytes in base64url. */
const ID = /^[A-Za-z0-9_-]{43}$/;

/** Null when there is none, or something else. */
export function sessionIdOf(request: FastifyRequest): string | null {
  const { cookie } = request.headers;
  const id = cookie === undefined ? undefined : request.server.parseCookie(cookie)[SESSION_COOKIE];
  return id !== undefined && ID.test(id) ? id : null;
}

/** For as long as the browser runs; how long the session lives is for the server to decide. */
export function setSessionCookie(reply: FastifyReply, id: string, secure: boolean): void {
  void reply.setCookie(SESSION_COOKIE, id, { httpOnly: true, sameSite: 'strict', secure, path: PATH });
}

export function clearSessionCookie(reply: FastifyReply, secure: boolean): void {
  void reply.clearCookie(SESSION_COOKIE, { httpOnly: true, sameSite: 'strict', secure, path: PATH });
}
