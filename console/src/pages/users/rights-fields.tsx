import type { UserView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Choice } from '../../parts/choice.js';

export type Rights = Pick<UserView, 'role' | 'permissions'>;

/** A role, and beside it what no role brings. */
export function RightsFields({ rights, onChange }: { rights: Rights; onChange: (rights: Rights) => void }) {
  const { users, roles } = useText();
  const mayRead = rights.permissions.includes('payload');
  const others = rights.permissions.filter((one) => one !== 'payload');
  return (
    <>
      <div>
        <Choice
          showLabel
          label={users.role}
          value={rights.role}
          options={(['viewer', 'operator', 'admin'] as const).map((role) => [role, roles[role]])}
          onChange={(role) => onChange({ ...rights, role })}
        />
        <span className="dim small">{users.roleHints[rights.role]}</span>
      </div>
      <label className="check">
        <input
          type="checkbox"
          checked={mayRead}
          onChange={(event) =>
            onChange({ ...rights, permissions: event.target.checked ? [...others, 'payload'] : others })
          }
        />
        {users.payload}
      </label>
    </>
  );
}
