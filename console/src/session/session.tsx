import { createContext, useContext } from 'react';
import type { Role, SessionUser } from '../api/session.js';

/** Who is signed in, for everything inside of the shell. */
export const SessionContext = createContext<SessionUser | null>(null);

export function useUser(): SessionUser {
  const user = useContext(SessionContext);
  if (!user) throw new Error('used outside of the shell');
  return user;
}

const ORDER: readonly Role[] = ['viewer', 'operator', 'admin'];

/** Each role may do what those before it may. The service decides; this only saves people a refusal. */
export function covers(role: Role, needed: Role): boolean {
  return ORDER.indexOf(role) >= ORDER.indexOf(needed);
}
