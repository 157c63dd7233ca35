import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, patch, post, remove } from './client.js';
import type { Role } from './session.js';

export interface UserView {
  readonly name: string;
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly disabled: boolean;
  readonly lastLoginAt: number | null;
  readonly createdAt: number;
  readonly lockedUntil: number | null;
}

export interface TokenView {
  readonly id: number | string;
  readonly name: string;
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly role: Role;
  readonly permissions: readonly string[];
}

export type UserChange = Partial<Pick<UserView, 'role' | 'permissions' | 'disabled'>> & { readonly password?: string };

export interface NewToken {
  readonly name: string;
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly expiresAt: number;
}

interface Items<Item> {
  readonly items: readonly Item[];
}

export function useUsers() {
  return useQuery({ queryKey: ['users'], queryFn: ({ signal }) => get<Items<UserView>>('users', {}, signal) });
}

export function useTokens() {
  return useQuery({ queryKey: ['tokens'], queryFn: ({ signal }) => get<Items<TokenView>>('tokens', {}, signal) });
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
  return useChange(['tokens'], (token: NewToken) => post<TokenView & { readonly token: string }>('tokens', token));
}

export function useRevokeToken() {
  return useChange(['tokens'], (id: TokenView['id']) => remove(`tokens/${encodeURIComponent(String(id))}`));
}

function useChange<Input, Answer>(queryKey: readonly string[], mutationFn: (input: Input) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey }) });
}
