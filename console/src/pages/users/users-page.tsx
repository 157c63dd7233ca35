import { Button } from 'antd';
import { useState } from 'react';
import { useChangeUser, useUsers } from '../../api/access.js';
import type { UserView } from '../../api/views.js';
import { shortTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { Tag } from '../../parts/tag.js';
import { TimeText } from '../../parts/time-text.js';
import { useUser } from '../../session/session.js';
import { RemoveUserDialog } from './remove-user-dialog.js';
import { rightsColumns } from './rights-columns.js';
import { UserDialog } from './user-dialog.js';
import { AdminsOnly } from './users-tabs.js';

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'remove'; readonly user: UserView };

export function UsersPage() {
  const { users } = useText();
  const [open, setOpen] = useState<Open | null>(null);
  const close = (): void => setOpen(null);
  return (
    <AdminsOnly
      intro={users.usersIntro}
      actions={
        <Button type="primary" onClick={() => setOpen({ kind: 'new' })}>
          {users.newUser}
        </Button>
      }
    >
      <UserList onOpen={setOpen} />
      {open?.kind === 'new' && <UserDialog user={null} onClose={close} />}
      {open?.kind === 'edit' && <UserDialog user={open.user} onClose={close} />}
      {open?.kind === 'remove' && <RemoveUserDialog name={open.user.name} onClose={close} />}
    </AdminsOnly>
  );
}

function UserList({ onOpen }: { onOpen: (open: Open) => void }) {
  const text = useText();
  const { users, common } = text;
  const me = useUser();
  const query = useUsers();
  const { columns } = users;
  return (
    <section className="card" aria-label={users.users}>
      <LoadState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={users.usersEmpty} hint={users.usersEmptyHint} />
          ) : (
            <DataTable<UserView>
              label={users.users}
              rows={items}
              rowKey={({ name }) => name}
              columns={[
                {
                  ...{ key: 'name', title: columns.name },
                  cell: ({ name }) => (
                    <span className="row">
                      <b>{name}</b>
                      {name === me.name && (
                        <Tag tone="info" plain>
                          {users.you}
                        </Tag>
                      )}
                    </span>
                  ),
                },
                ...rightsColumns(text),
                { key: 'state', title: columns.state, cell: (user) => <UserState user={user} /> },
                {
                  ...{ key: 'login', title: columns.lastLogin, className: 'tight' },
                  cell: ({ lastLoginAt }) => <TimeText at={lastLoginAt} as="ago" />,
                },
                {
                  ...{ key: 'created', title: columns.created, className: 'tight' },
                  cell: ({ createdAt }) => <TimeText at={createdAt} />,
                },
                {
                  ...{ key: 'do', title: common.actions, className: 'tight' },
                  cell: (user) => (
                    <span className="row tight-row">
                      {isLocked(user) && <UnlockButton name={user.name} />}
                      <Button size="small" onClick={() => onOpen({ kind: 'edit', user })}>
                        {users.edit}
                      </Button>
                      <Button size="small" danger onClick={() => onOpen({ kind: 'remove', user })}>
                        {users.remove}
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </LoadState>
    </section>
  );
}

function UnlockButton({ name }: { name: string }) {
  const { users } = useText();
  const change = useChangeUser();
  return (
    <Button size="small" loading={change.isPending} onClick={() => change.mutate({ name, change: { unlock: true } })}>
      {users.unlock}
    </Button>
  );
}

function isLocked({ lockedUntil }: UserView): boolean {
  return lockedUntil !== null && lockedUntil > Date.now();
}

function UserState({ user: { disabled, lockedUntil } }: { user: UserView }) {
  const { users } = useText();
  const now = Date.now();
  if (disabled) return <Tag tone="calm">{users.disabled}</Tag>;
  if (lockedUntil !== null && lockedUntil > now)
    return <Tag tone="warn">{users.locked(shortTime(lockedUntil, now))}</Tag>;
  return <Tag tone="good">{users.active}</Tag>;
}
