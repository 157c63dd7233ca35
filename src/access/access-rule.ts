import { covers, type AdminRole, type Permission, type Rights } from './admin-role.js';

/**
 * Who may call a route: anybody (`open`: those by which a session begins), a role and those above it, or those of them
 * who were granted a permission as well.
 */
export type AccessRule = 'open' | AdminRole | { readonly role: AdminRole; readonly permission: Permission };

/** Null when the rights suffice; otherwise what is lacking, for the answer. Nobody has a right to a route without a rule. */
export function lacking(rule: AccessRule | undefined, { role, permissions }: Rights): string | null {
  if (rule === undefined) return 'nobody may call this route: it has no access rule';
  if (rule === 'open') return null;
  const needed = typeof rule === 'string' ? { role: rule } : rule;
  if (!covers(role, needed.role)) return `this needs the role ${needed.role}`;
  const { permission } = { permission: undefined, ...needed };
  if (permission !== undefined && !permissions.includes(permission)) return `this needs the permission ${permission}`;
  return null;
}

/** For people and for the OpenAPI document. */
export function ruleText(rule: AccessRule): string {
  if (rule === 'open') return 'Needs no session and no token.';
  return typeof rule === 'string'
    ? `Needs the role ${rule}.`
    : `Needs the role ${rule.role} and the permission ${rule.permission}.`;
}
