import type { SummaryView } from '../../api/views.js';
import { shortTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CountBars } from '../../parts/count-bars.js';
import { STATUS_TONES } from '../../parts/tone.js';
import { StatusTag } from '../../parts/status-tag.js';
import { Link } from 'react-router';

const OUTCOMES = ['APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED'] as const;

export function OutcomesCard({ summary }: { summary: SummaryView }) {
  const { overview } = useText();
  const rows = OUTCOMES.map((status) => ({
    key: status,
    count: summary.statuses[status] ?? 0,
    tone: STATUS_TONES[status] ?? 'calm',
    title: (
      <Link to={`/events?status=${status}`}>
        <StatusTag status={status} />
      </Link>
    ),
  }));
  return (
    <Card title={overview.outcomes} over={overview.outcomesSince(shortTime(summary.outcomesAt, Date.now()))}>
      <CountBars rows={rows} />
    </Card>
  );
}
