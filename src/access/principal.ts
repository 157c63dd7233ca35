import type { Rights } from './admin-role.js';

/** Who sent a request. */
export interface Principal extends Rights {
  /** The name in histories and audit rows: a user's, `token:<name>`, or ADMIN_ACTOR. */
  readonly actor: string;
  /** Null for tokens, which need neither CSRF protection nor a password. */
  readonly session: OpenSession | null;
}

/** A user's session as a request brought it. */
export interface OpenSession {
  /** What the cookie holds; never to be stored or logged. */
  readonly id: string;
  readonly userId: number;
  /** When it ends unless it is used, at the latest when it is too old. Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Who does something, and from where: for the audit. */
export interface By {
  readonly actor: string;
  readonly address: string;
}

/** Who nobody knows yet. No user's name has brackets. */
export const ANONYMOUS = '(anonymous)';
