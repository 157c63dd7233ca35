import type { TokenView, UserView } from '../../api/views.js';
import type { Text } from '../../i18n/en.js';
import type { Column } from '../../parts/data-table.js';

/** What an account and a token have alike. */
export function rightsColumns({
  users,
  roles,
  permissions,
}: Text): Column<Pick<UserView & TokenView, 'role' | 'permissions'>>[] {
  const { columns } = users;
  return [
    { key: 'role', title: columns.role, cell: ({ role }) => roles[role] },
    {
      ...{ key: 'permissions', title: columns.permissions },
      cell: ({ permissions: granted }) => granted.map((one) => permissions[one] ?? one).join(', '),
    },
  ];
}
