import { App, Modal } from 'antd';
import { useState } from 'react';
import { isEnded, useMoveJob, type JobMove } from '../../api/redrive-jobs.js';
import type { JobStatus, RedriveJobView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { errorText } from '../../parts/load-state.js';

const PAUSABLE: readonly JobStatus[] = ['COLLECTING', 'FORECASTING', 'RUNNING'];

/** Only what is possible from where the job is. */
export function JobActions({ job: { id, status, total } }: { job: RedriveJobView }) {
  const { text, language } = useLanguage();
  const { jobs, errors } = text;
  const { message } = App.useApp();
  const move = useMoveJob(id);
  const [asksCancel, setAsksCancel] = useState(false);
  const go = async (to: JobMove): Promise<void> => {
    setAsksCancel(false);
    try {
      await move.mutateAsync(to);
    } catch (error) {
      void message.error(`${errors.actionFailed}. ${errorText(error, text)}`);
    }
  };
  return (
    <>
      {status === 'DRAFT' && (
        <GuardedButton
          role="operator"
          type="primary"
          blocked={total === 0 ? jobs.emptyJob : undefined}
          loading={move.isPending}
          onClick={() => void go('start')}
        >
          {jobs.startN(count(total, language))}
        </GuardedButton>
      )}
      {PAUSABLE.includes(status) && (
        <GuardedButton role="operator" onClick={() => void go('pause')}>
          {jobs.pause}
        </GuardedButton>
      )}
      {status === 'PAUSED' && (
        <GuardedButton role="operator" type="primary" onClick={() => void go('resume')}>
          {jobs.resume}
        </GuardedButton>
      )}
      {!isEnded(status) && (
        <GuardedButton role="operator" danger onClick={() => setAsksCancel(true)}>
          {jobs.cancel}
        </GuardedButton>
      )}
      <Modal
        open={asksCancel}
        title={jobs.cancelTitle}
        okText={jobs.cancel}
        okButtonProps={{ danger: true }}
        cancelText={jobs.keep}
        onOk={() => void go('cancel')}
        onCancel={() => setAsksCancel(false)}
      >
        <p>{jobs.cancelHint}</p>
      </Modal>
    </>
  );
}
