import { Alert, InputNumber, Modal } from 'antd';
import { useId, useState } from 'react';
import { useCreateToken } from '../../api/access.js';
import { useText } from '../../i18n/language.js';
import { CopyButton } from '../../parts/copy-button.js';
import { errorText } from '../../parts/load-state.js';
import { TextField } from '../../parts/text-field.js';
import { RightsFields, type Rights } from './rights-fields.js';

const DAYS = 90;
const DAYS_MAX = 366;
const DAY_MS = 86_400_000;

/** The token is in this dialog's memory for as long as it is open, and nowhere else. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const text = useText();
  const { users, common } = text;
  const [name, setName] = useState('');
  const [days, setDays] = useState(DAYS);
  const [rights, setRights] = useState<Rights>({ role: 'viewer', permissions: [] });
  const create = useCreateToken();
  const id = useId();
  const made = create.data;
  if (made) {
    return (
      <Modal
        open
        title={users.shownTitle(made.name)}
        okText={common.close}
        cancelButtonProps={{ hidden: true }}
        onOk={onClose}
        onCancel={onClose}
      >
        <div className="form">
          <Alert type="warning" title={users.shownOnce} />
          <div className="row">
            <code>{made.token}</code>
            <CopyButton text={made.token} label={`${common.copy}: ${users.shownTitle(made.name)}`} />
          </div>
        </div>
      </Modal>
    );
  }
  return (
    <Modal
      open
      title={users.newToken}
      okText={users.create}
      cancelText={common.cancel}
      confirmLoading={create.isPending}
      onOk={() => create.mutate({ name, ...rights, expiresAt: Date.now() + days * DAY_MS })}
      onCancel={onClose}
    >
      <div className="form">
        <TextField label={users.columns.name} value={name} onChange={setName} autoFocus />
        <RightsFields rights={rights} onChange={setRights} />
        <div className="field">
          <label htmlFor={id}>{users.days}</label>
          <InputNumber
            id={id}
            min={1}
            max={DAYS_MAX}
            precision={0}
            value={days}
            onChange={(value) => setDays(value ?? DAYS)}
          />
        </div>
        {create.error !== null && <Alert type="error" role="alert" title={errorText(create.error, text)} />}
      </div>
    </Modal>
  );
}
