import type { JobStatus } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Tag } from '../../parts/tag.js';
import type { Tone } from '../../parts/tone.js';

const TONES: Readonly<Record<JobStatus, Tone>> = {
  COLLECTING: 'info',
  FORECASTING: 'info',
  DRAFT: 'warn',
  RUNNING: 'info',
  PAUSED: 'warn',
  DONE: 'good',
  CANCELLED: 'calm',
};

export function JobStatusTag({ status }: { status: JobStatus }) {
  const { jobs } = useText();
  return <Tag tone={TONES[status]}>{jobs.statuses[status]}</Tag>;
}
