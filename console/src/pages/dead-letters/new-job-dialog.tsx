import { Alert, Input, InputNumber, Modal } from 'antd';
import { useId, useState } from 'react';
import { useNavigate } from 'react-router';
import { useCreateJob } from '../../api/redrive-jobs.js';
import { useText } from '../../i18n/language.js';
import { errorText } from '../../parts/load-state.js';
import type { JobScope } from './job-scope.js';

const RATE = 50;
const RATE_MAX = 1_000;

/** Makes a job; with a dry run unless somebody says otherwise. It leads to the job's page. */
export function NewJobDialog({ scope, onClose }: { scope: JobScope; onClose: () => void }) {
  const text = useText();
  const { newJob, common } = text;
  const navigate = useNavigate();
  const create = useCreateJob();
  const [rate, setRate] = useState(RATE);
  const [dryRun, setDryRun] = useState(true);
  const [reason, setReason] = useState('');
  const id = useId();
  const { action, title, filter, items } = scope;
  const make = async (): Promise<void> => {
    const what = items ? { items } : { filter: filter ?? {} };
    const job = await create.mutateAsync({ action, rate, dryRun, reason, ...what }).catch(() => null);
    if (job) void navigate(`/jobs/${job.id}`);
  };
  return (
    <Modal
      open
      title={action === 'redrive' ? newJob.redriveTitle : newJob.discardTitle}
      okText={dryRun ? newJob.create : newJob.createNow}
      okButtonProps={{ danger: !dryRun }}
      cancelText={common.cancel}
      confirmLoading={create.isPending}
      onOk={() => void make()}
      onCancel={onClose}
    >
      <div className="form">
        <p>{title}</p>
        {action === 'discard' && <Alert type="warning" title={newJob.discardFinal} />}
        <div className="field">
          <label htmlFor={`${id}-rate`}>{newJob.rate}</label>
          <InputNumber
            id={`${id}-rate`}
            min={1}
            max={RATE_MAX}
            precision={0}
            value={rate}
            aria-describedby={`${id}-rate-hint`}
            onChange={(value) => setRate(value ?? RATE)}
          />
          <span id={`${id}-rate-hint`}>{newJob.rateHint}</span>
        </div>
        <div className="field">
          <label htmlFor={`${id}-reason`}>{common.reason}</label>
          <Input
            id={`${id}-reason`}
            value={reason}
            maxLength={500}
            aria-describedby={`${id}-reason-hint`}
            onChange={(event) => setReason(event.target.value)}
          />
          <span id={`${id}-reason-hint`}>{newJob.reasonHint}</span>
        </div>
        <label className="check">
          <input type="checkbox" checked={dryRun} onChange={(event) => setDryRun(event.target.checked)} />
          <span>
            {newJob.dryRun}
            <br />
            <span className="dim small">{dryRun ? newJob.dryRunHint : newJob.noDryRun}</span>
          </span>
        </label>
        {create.error !== null && <Alert type="error" title={errorText(create.error, text)} />}
      </div>
    </Modal>
  );
}
