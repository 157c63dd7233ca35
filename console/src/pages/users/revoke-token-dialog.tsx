import { Alert, Modal } from 'antd';
import { useRevokeToken } from '../../api/access.js';
import type { TokenView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';

export function RevokeTokenDialog({ token, onClose }: { token: TokenView; onClose: () => void }) {
  const text = useText();
  const { users, common } = text;
  const revoke = useRevokeToken();
  return (
    <Modal
      open
      title={users.revokeTitle(token.name)}
      okText={users.revoke}
      okButtonProps={{ danger: true }}
      cancelText={common.cancel}
      confirmLoading={revoke.isPending}
      onOk={() => revoke.mutate(token.id, { onSuccess: onClose })}
      onCancel={onClose}
    >
      <p>{users.revokeHint}</p>
      {revoke.error !== null && <Alert type="error" role="alert" title={errorText(revoke.error, text)} />}
    </Modal>
  );
}
