import { Alert, Modal } from 'antd';
import { useState } from 'react';
import { useChangeUser, useCreateUser } from '../../api/access.js';
import type { UserView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import { TextField } from '../../parts/text-field.js';
import { PASSWORD_LENGTH_MIN } from '../sign-in/password-rule.js';
import { RightsFields, type Rights } from './rights-fields.js';

/** Makes an account, or changes one: without `user` it is a new one. */
export function UserDialog({ user, onClose }: { user: UserView | null; onClose: () => void }) {
  const text = useText();
  const { users, common, signIn } = text;
  const [name, setName] = useState(user?.name ?? '');
  const [password, setPassword] = useState('');
  const [disabled, setDisabled] = useState(user?.disabled ?? false);
  const [rights, setRights] = useState<Rights>(user ?? { role: 'viewer', permissions: [] });
  const create = useCreateUser();
  const change = useChangeUser();
  const error = create.error ?? change.error;
  const { role, permissions } = rights;
  const save = async (): Promise<void> => {
    const answer = user
      ? change.mutateAsync({ name, change: { role, permissions, disabled, ...(password === '' ? {} : { password }) } })
      : create.mutateAsync({ name, password, role, permissions });
    if (await answer.then(() => true).catch(() => false)) onClose();
  };
  return (
    <Modal
      open
      title={user ? user.name : users.newUser}
      okText={user ? common.save : users.create}
      cancelText={common.cancel}
      confirmLoading={create.isPending || change.isPending}
      onOk={() => void save()}
      onCancel={onClose}
    >
      <div className="form">
        {!user && <TextField label={signIn.name} value={name} onChange={setName} autoFocus />}
        <TextField
          label={user ? users.newPassword : signIn.password}
          value={password}
          onChange={setPassword}
          isPassword
          required={!user}
          autoComplete="new-password"
          hint={users.passwordHint(PASSWORD_LENGTH_MIN)}
        />
        <RightsFields rights={rights} onChange={setRights} />
        {user && (
          <label className="check">
            <input type="checkbox" checked={disabled} onChange={(event) => setDisabled(event.target.checked)} />
            {users.disable}
          </label>
        )}
        {error !== null && <Alert type="error" role="alert" title={errorText(error, text)} />}
      </div>
    </Modal>
  );
}
