import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, get, post, remove, setCsrfToken } from './client.js';

export type Role = 'viewer' | 'operator' | 'admin';

export interface SessionUser {
  readonly name: string;
  readonly role: Role;
  readonly permissions: readonly string[];
}

interface SessionAnswer {
  readonly user: SessionUser;
  readonly csrfToken: string;
  readonly expiresAt: number;
}

export type SessionState =
  | { readonly kind: 'in'; readonly user: SessionUser; readonly expiresAt: number }
  | { readonly kind: 'out'; readonly setupNeeded: boolean };

export const SESSION_KEY = ['session'];

/** Who is signed in. Being nobody is an answer; only a service that is away is an error. */
export function useSessionState() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }): Promise<SessionState> => {
      try {
        return stateOf(await get<SessionAnswer>('session', {}, signal));
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        return { kind: 'out', setupNeeded: error.body['setupNeeded'] === true };
      }
    },
    staleTime: 60_000,
    retry: false,
  });
}

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (credentials: { name: string; password: string }) => post<SessionAnswer>('session', credentials),
    onSuccess: (answer) => queries.setQueryData(SESSION_KEY, stateOf(answer)),
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => remove('session'),
    onSettled: () => {
      setCsrfToken('');
      // What this person was allowed to see is not for the next one at the same screen.
      queries.clear();
    },
  });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: { current: string; next: string }) => post<unknown>('session/password', body),
  });
}

/** Makes the first admin. The token comes from the link that the service printed at its start. */
export function useSetup() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { token: string; name: string; password: string }) => post<unknown>('setup', body),
    onSuccess: () => queries.invalidateQueries({ queryKey: SESSION_KEY }),
  });
}

function stateOf({ user, csrfToken, expiresAt }: SessionAnswer): SessionState {
  setCsrfToken(csrfToken);
  return { kind: 'in', user, expiresAt };
}
