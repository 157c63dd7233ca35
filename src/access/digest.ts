import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Of secrets that are random in themselves, such as tokens: they need no salt and no slow function. 64 hex digits. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Over digests, so that neither content nor length shows in the time it takes. */
export function equalSecrets(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(digest(given), 'hex'), Buffer.from(digest(expected), 'hex'));
}

/**
 * The CSRF token of a session: made of its id, so that every process knows it, nothing more is stored, and it ends with
 * the session. The id cannot be computed from it.
 */
export function csrfTokenOf(sessionId: string): string {
  return createHmac('sha256', sessionId).update('csrf').digest('base64url');
}
