import { useEvents } from '../../api/events.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { eventColumns } from '../../parts/event-columns.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { PageHead } from '../../parts/page-head.js';
import { TimeText } from '../../parts/time-text.js';
import { DeadLettersTabs } from './dead-letters-tabs.js';

/** What waits and runs by itself. */
export function QueuePage({ status }: { status: 'RETRY' | 'PARKED' | 'REDRIVEN' }) {
  const { text, language } = useLanguage();
  const { deadLetters } = text;
  const query = useEvents({ status });
  const intros = {
    RETRY: deadLetters.retryIntro,
    PARKED: deadLetters.parkedIntro,
    REDRIVEN: deadLetters.redrivenIntro,
  };
  const columns = eventColumns(text);
  const due = {
    ...{ key: 'due', title: deadLetters.dueAt, className: 'tight' as const },
    cell: ({ dueAt }: { dueAt: number | null }) => dueAt !== null && <TimeText at={dueAt} as="ago" />,
  };
  return (
    <>
      <PageHead title={text.statuses[status]} intro={intros[status]} />
      <DeadLettersTabs />
      <section className="card" aria-label={text.statuses[status]}>
        <LoadState query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ items }) => items);
            if (rows.length === 0) return <EmptyState title={deadLetters.queueEmpty} />;
            return (
              <>
                <p className="dim small">{text.events.count(count(rows.length, language), !query.hasNextPage)}</p>
                <DataTable
                  label={text.statuses[status]}
                  columns={[...columns.slice(0, 1), due, ...columns.slice(2)]}
                  rows={rows}
                  rowKey={({ id }) => id}
                />
                <MoreButton query={query} />
              </>
            );
          }}
        </LoadState>
      </section>
    </>
  );
}
