/** What an account or a token may do on the admin API; each role may do what those before it may. */
export const ADMIN_ROLES = ['viewer', 'operator', 'admin'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

/** Granted one by one, to whatever role: no role brings them. `payload`: to see what WeCom sent, decrypted. */
export const PERMISSIONS = ['payload'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What somebody may do: a role, and what was granted beside it. */
export interface Rights {
  readonly role: AdminRole;
  readonly permissions: readonly Permission[];
}

export function covers(role: AdminRole, needed: AdminRole): boolean {
  return ADMIN_ROLES.indexOf(role) >= ADMIN_ROLES.indexOf(needed);
}

/** As a column holds them. */
export function permissionsText(permissions: readonly Permission[]): string {
  return PERMISSIONS.filter((one) => permissions.includes(one)).join(',');
}

/** Names that this version does not know grant nothing. */
export function permissionsOf(text: string): Permission[] {
  const names = text.split(',');
  return PERMISSIONS.filter((one) => names.includes(one));
}
