import type { ReactNode } from 'react';
import { useText } from '../../i18n/language.js';
import { EmptyState } from '../../parts/empty-state.js';
import { PageHead } from '../../parts/page-head.js';
import { Tabs } from '../../parts/tabs.js';
import { covers, useUser } from '../../session/session.js';

interface Props {
  readonly intro: string;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}

/** Around both pages. Whoever is no admin is told so; the service refuses as well. */
export function AdminsOnly({ intro, actions, children }: Props) {
  const { users, needs } = useText();
  const { role } = useUser();
  if (!covers(role, 'admin')) {
    return (
      <>
        <PageHead title={users.title} />
        <EmptyState title={needs.admin} />
      </>
    );
  }
  return (
    <>
      <PageHead title={users.title} intro={intro} actions={actions} />
      <Tabs
        label={users.title}
        items={[
          { to: '/users', title: users.users },
          { to: '/users/tokens', title: users.tokens },
        ]}
      />
      {children}
    </>
  );
}
