import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, get, post, remove, setCsrfToken } from './client.js';
import type { SessionView } from './views.js';

export type SessionUser = SessionView['user'];
export type Role = SessionUser['role'];

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
        return stateOf(await get<SessionView>('session', {}, signal));
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
    mutationFn: (credentials: { name: string; password: string }) => post<SessionView>('session', credentials),
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

/** All sessions of this person end, and a new one begins here. */
export function useChangePassword() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { current: string; next: string }) => post<SessionView>('session/password', body),
    onSuccess: (answer) => queries.setQueryData(SESSION_KEY, stateOf(answer)),
  });
}

/** Makes the first admin, who is then signed in. The token comes from the link that the service printed at its start. */
export function useSetup() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { token: string; name: string; password: string }) => post<SessionView>('setup', body),
    onSuccess: (answer) => queries.setQueryData(SESSION_KEY, stateOf(answer)),
  });
}

function stateOf({ user, csrfToken, expiresAt }: SessionView): SessionState {
  setCsrfToken(csrfToken);
  return { kind: 'in', user, expiresAt };
}
