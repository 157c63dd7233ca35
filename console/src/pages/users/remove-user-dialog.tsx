import { Alert, Modal } from 'antd';
import { useRemoveUser } from '../../api/access.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';

export function RemoveUserDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const text = useText();
  const { users, common } = text;
  const remove = useRemoveUser();
  return (
    <Modal
      open
      title={users.removeTitle(name)}
      okText={users.remove}
      okButtonProps={{ danger: true }}
      cancelText={common.cancel}
      confirmLoading={remove.isPending}
      onOk={() => remove.mutate(name, { onSuccess: onClose })}
      onCancel={onClose}
    >
      <p>{users.removeHint}</p>
      {remove.error !== null && <Alert type="error" role="alert" title={errorText(remove.error, text)} />}
    </Modal>
  );
}
