import { ADMIN_ROLES, PERMISSIONS, type AdminRole, type Permission } from '../access/admin-role.js';
import { shown } from './view-fields.js';

/** What every account and token has: whose name acts, and what it may. */
export class PrincipalView {
  @shown.text()
  name!: string;

  @shown.one(ADMIN_ROLES)
  role!: AdminRole;

  @shown.several(PERMISSIONS)
  permissions!: Permission[];
}
