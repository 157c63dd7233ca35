import { Link } from 'react-router';
import { useQueues } from '../../api/dead-letters.js';
import type { SummaryView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { distance } from '../../format/times.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { useNow } from '../../parts/now.js';
import './overview.css';

interface Stage {
  readonly key: keyof ReturnType<typeof useLanguage>['text']['overview']['stage'];
  /** Null when it is out of this process's sight. */
  readonly value: number | null;
  readonly to?: string;
  readonly isBad?: boolean;
}

/** Everything that is not finished, in the order in which an event passes. */
export function StagesCard({ summary }: { summary: SummaryView }) {
  const { text, language } = useLanguage();
  const now = useNow();
  const queues = useQueues().data?.items ?? [];
  return (
    <Card title={text.overview.stages} over={text.overview.stagesNow}>
      <ol className="stages">
        {stagesOf(summary).map(({ key, value, to, isBad = false }) => {
          const since = queues.find(({ status }) => status === key)?.oldestReceivedAt ?? null;
          const title = text.overview.stage[key];
          return (
            <li key={key} className={isBad && (value ?? 0) > 0 ? 'bad' : undefined}>
              <span>{to === undefined ? title : <Link to={to}>{title}</Link>}</span>
              <b>{value === null ? '–' : count(value, language)}</b>
              <small>
                {value === null && text.overview.notHere}
                {since !== null && text.overview.oldest(distance(since, now, text))}
              </small>
            </li>
          );
        })}
      </ol>
    </Card>
  );
}

function stagesOf({ spool, backlog, statuses, outbox }: SummaryView): Stage[] {
  return [
    { key: 'spool', value: spool?.depth ?? null },
    { key: 'queue', value: backlog.events },
    { key: 'RETRY', value: statuses['RETRY'] ?? 0, to: '/dead-letters/retry' },
    { key: 'PARKED', value: statuses['PARKED'] ?? 0, to: '/dead-letters/parked' },
    { key: 'REDRIVEN', value: statuses['REDRIVEN'] ?? 0, to: '/dead-letters/redriven' },
    { key: 'DEAD', value: statuses['DEAD'] ?? 0, to: '/dead-letters', isBad: true },
    { key: 'outbox', value: outbox.pending },
    { key: 'outboxDead', value: outbox.dead, isBad: true },
  ];
}
