import type { EventStatus } from '../api/views.js';
import { useText } from '../i18n/language.js';
import { Tag } from './tag.js';
import { STATUS_TONES } from './tone.js';

/** Never by colour alone: the word is always there, and what it means is one hover away. */
export function StatusTag({ status }: { status: EventStatus | 'DUPLICATE' }) {
  const { statuses, statusMeaning } = useText();
  return (
    <Tag tone={STATUS_TONES[status] ?? 'calm'} title={statusMeaning[status]}>
      {statuses[status]}
    </Tag>
  );
}
