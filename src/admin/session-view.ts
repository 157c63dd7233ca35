import { csrfTokenOf } from '../access/digest.js';
import type { SignedIn } from '../access/session-service.js';
import { PrincipalView } from './principal-view.js';
import { shown } from './view-fields.js';

export class SessionView {
  @shown.view(() => PrincipalView)
  user!: PrincipalView;

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
