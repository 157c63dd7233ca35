import { App, Input, Modal } from 'antd';
import { useId, useState } from 'react';
import { useActNow } from '../../api/dead-letters.js';
import type { Action, EventView } from '../../api/views.js';
import { useLanguage } from '../../i18n/language.js';
import { reasonText } from '../../i18n/reason-text.js';
import { errorText } from '../../parts/load-state.js';

interface Props {
  readonly action: Action;
  readonly event: EventView;
  readonly onClose: () => void;
}

/** One event, at once, in the generation that was seen: somebody who was faster is told, not overruled. */
export function ActNowDialog({ action, event: { id, generation }, onClose }: Props) {
  const { text, language } = useLanguage();
  const { event: texts, common, errors, jobs } = text;
  const { message } = App.useApp();
  const [reason, setReason] = useState('');
  const field = useId();
  const act = useActNow(action);
  const run = async (): Promise<void> => {
    try {
      const { items } = await act.mutateAsync({ items: [{ id, generation }], reason });
      const [result] = items;
      const isDone = result?.result === 'redriven' || result?.result === 'discarded';
      const why = result && reasonText(result.reason, language);
      const said = `${jobs.resultNames[result?.result ?? ''] ?? result?.result}: ${why}`;
      void (isDone ? message.success(said) : message.warning(said));
      onClose();
    } catch (error) {
      void message.error(`${errors.actionFailed}. ${errorText(error, text)}`);
    }
  };
  const isRedrive = action === 'redrive';
  return (
    <Modal
      open
      title={isRedrive ? texts.redriveTitle : texts.discardTitle}
      okText={isRedrive ? texts.redrive : texts.discard}
      okButtonProps={{ danger: !isRedrive }}
      cancelText={common.cancel}
      confirmLoading={act.isPending}
      onOk={() => void run()}
      onCancel={onClose}
    >
      <div className="form">
        <p>{isRedrive ? texts.redriveHint : texts.discardHint}</p>
        <div className="field">
          <label htmlFor={field}>{common.reason}</label>
          <Input
            id={field}
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
            aria-describedby={`${field}-hint`}
          />
          <span id={`${field}-hint`}>{common.reasonHint}</span>
        </div>
      </div>
    </Modal>
  );
}
