import { Alert, Input, Modal } from 'antd';
import { useId, useState } from 'react';
import { useMoveHandler, type HandlerMove } from '../../api/handlers.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';

interface Props {
  readonly name: string;
  readonly move: HandlerMove;
  readonly onClose: () => void;
}

/** Says what it will do before it does it. */
export function HandlerMoveDialog({ name, move, onClose }: Props) {
  const text = useText();
  const { handlers, common } = text;
  const action = useMoveHandler(move);
  const [reason, setReason] = useState('');
  const id = useId();
  const go = async (): Promise<void> => {
    const done = await action.mutateAsync({ name, reason }).catch(() => null);
    if (done) onClose();
  };
  return (
    <Modal
      open
      title={move === 'pause' ? handlers.pauseTitle(name) : handlers.resumeTitle(name)}
      okText={move === 'pause' ? handlers.pause : handlers.resume}
      okButtonProps={{ danger: move === 'pause' }}
      cancelText={common.cancel}
      confirmLoading={action.isPending}
      onOk={() => void go()}
      onCancel={onClose}
    >
      <div className="form">
        <p>{move === 'pause' ? handlers.pauseHint : handlers.resumeHint}</p>
        <div className="field">
          <label htmlFor={id}>{common.reason}</label>
          <Input id={id} value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
        </div>
        {action.error !== null && <Alert type="error" title={errorText(action.error, text)} />}
      </div>
    </Modal>
  );
}
