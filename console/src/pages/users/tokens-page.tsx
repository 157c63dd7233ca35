import { Button } from 'antd';
import { useState } from 'react';
import { useTokens } from '../../api/access.js';
import type { TokenView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { Tag } from '../../parts/tag.js';
import { TimeText } from '../../parts/time-text.js';
import { RevokeTokenDialog } from './revoke-token-dialog.js';
import { rightsColumns } from './rights-columns.js';
import { TokenDialog } from './token-dialog.js';
import { AdminsOnly } from './users-tabs.js';

export function TokensPage() {
  const { users } = useText();
  const [open, setOpen] = useState<'new' | TokenView | null>(null);
  const close = (): void => setOpen(null);
  return (
    <AdminsOnly
      intro={users.tokensIntro}
      actions={
        <Button type="primary" onClick={() => setOpen('new')}>
          {users.newToken}
        </Button>
      }
    >
      <TokenList onRevoke={setOpen} />
      {open === 'new' && <TokenDialog onClose={close} />}
      {open !== null && open !== 'new' && <RevokeTokenDialog token={open} onClose={close} />}
    </AdminsOnly>
  );
}

function TokenList({ onRevoke }: { onRevoke: (token: TokenView) => void }) {
  const text = useText();
  const { users, common } = text;
  const query = useTokens();
  const { columns } = users;
  return (
    <section className="card" aria-label={users.tokens}>
      <LoadState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={users.tokensEmpty} hint={users.tokensEmptyHint} />
          ) : (
            <DataTable<TokenView>
              label={users.tokens}
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                { key: 'name', title: columns.name, cell: ({ name }) => <b>{name}</b> },
                ...rightsColumns(text),
                { key: 'state', title: columns.state, cell: (token) => <TokenState token={token} /> },
                {
                  ...{ key: 'expires', title: columns.expires, className: 'tight' },
                  cell: ({ expiresAt }) => <TimeText at={expiresAt} as="ago" />,
                },
                {
                  ...{ key: 'used', title: columns.lastUsed, className: 'tight' },
                  cell: ({ lastUsedAt }) => <TimeText at={lastUsedAt} as="ago" />,
                },
                { key: 'by', title: columns.by, className: 'tight', cell: ({ createdBy }) => createdBy },
                {
                  ...{ key: 'do', title: common.actions, className: 'tight' },
                  cell: (token) =>
                    token.revokedAt === null && (
                      <Button size="small" danger onClick={() => onRevoke(token)}>
                        {users.revoke}
                      </Button>
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

function TokenState({ token: { revokedAt, expiresAt } }: { token: TokenView }) {
  const { users } = useText();
  if (revokedAt !== null) return <Tag tone="calm">{users.revoked}</Tag>;
  if (expiresAt !== null && expiresAt <= Date.now()) return <Tag tone="calm">{users.expired}</Tag>;
  return <Tag tone="good">{users.active}</Tag>;
}
