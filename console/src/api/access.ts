import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, patch, post, remove } from './client.js';
import type { NewTokenView, TokensView, TokenView, UsersView, UserView } from './views.js';

type Rights = Pick<UserView, 'role' | 'permissions'>;

export interface NewUser extends Rights {
  readonly name: string;
  readonly password: string;
}

export type UserChange = Partial<Rights & { disabled: boolean; password: string; unlock: boolean }>;

export interface NewToken extends Rights {
  readonly name: string;
  readonly expiresAt: number;
}

export function useUsers() {
  return useQuery({ queryKey: ['users'], queryFn: ({ signal }) => get<UsersView>('users', {}, signal) });
}

export function useTokens() {
  return useQuery({ queryKey: ['tokens'], queryFn: ({ signal }) => get<TokensView>('tokens', {}, signal) });
}

export function useCreateUser() {
  return useChange(['users'], (user: NewUser) => post<UserView>('users', user));
}

export function useChangeUser() {
  return useChange(['users'], ({ name, change }: { name: string; change: UserChange }) =>
    patch<UserView>(`users/${encodeURIComponent(name)}`, change),
  );
}

export function useRemoveUser() {
  return useChange(['users'], (name: string) => remove(`users/${encodeURIComponent(name)}`));
}

/** The only answer that ever holds the token itself. */
export function useCreateToken() {
  return useChange(['tokens'], (token: NewToken) => post<NewTokenView>('tokens', token));
}

export function useRevokeToken() {
  return useChange(['tokens'], (id: TokenView['id']) => remove(`tokens/${id}`));
}

function useChange<Input, Answer>(queryKey: readonly string[], mutationFn: (input: Input) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey }) });
}
