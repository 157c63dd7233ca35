import { csrfTokenOf } from '../access/digest.js';
import { ADMIN_ROLES, PERMISSIONS, type AdminRole, type Permission } from '../access/admin-role.js';
import type { SignedIn } from '../access/session-service.js';
import { shown } from './view-fields.js';

export class SessionUserView {
  @shown.text()
  name!: string;

  @shown.one(ADMIN_ROLES)
  role!: AdminRole;

  @shown.several(PERMISSIONS)
  permissions!: Permission[];
}

export class SessionView {
  @shown.view(() => SessionUserView)
  user!: SessionUserView;

  @shown.text({ description: 'To be sent as X-CSRF-Token with each request of this session that is no GET' })
  csrfToken!: string;

  @shown.time({ description: 'When it ends unless it is used' })
  expiresAt!: number;
}

export function sessionView({ actor: name, role, permissions, session }: SignedIn): SessionView {
  return {
    user: { name, role, permissions: [...permissions] },
    csrfToken: csrfTokenOf(session.id),
    expiresAt: session.expiresAt,
  };
}
