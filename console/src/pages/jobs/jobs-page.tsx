import { Link } from 'react-router';
import { useJobs } from '../../api/redrive-jobs.js';
import type { RedriveJobView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import type { Text } from '../../i18n/en.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { PageHead } from '../../parts/page-head.js';
import { TimeText } from '../../parts/time-text.js';
import { JobStatusTag } from './job-status-tag.js';

export function JobsPage() {
  const { text, language } = useLanguage();
  const { jobs } = text;
  const query = useJobs();
  return (
    <>
      <PageHead title={jobs.title} intro={jobs.intro} />
      <section className="card" aria-label={jobs.title}>
        <LoadState query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ items }) => items);
            if (rows.length === 0) {
              return (
                <EmptyState title={jobs.empty} hint={jobs.emptyHint}>
                  <Link to="/dead-letters">{jobs.toDeadLetters}</Link>
                </EmptyState>
              );
            }
            return (
              <>
                <DataTable label={jobs.title} columns={columnsOf(text, language)} rows={rows} rowKey={({ id }) => id} />
                <MoreButton query={query} />
              </>
            );
          }}
        </LoadState>
      </section>
    </>
  );
}

function columnsOf({ jobs, common }: Text, language: string): Column<RedriveJobView>[] {
  const { columns } = jobs;
  const shown = (n: number): string => count(n, language);
  return [
    {
      ...{ key: 'id', title: columns.id, className: 'tight' },
      cell: ({ id }) => <Link to={`/jobs/${id}`}>{jobs.job(id)}</Link>,
    },
    {
      ...{ key: 'status', title: columns.status, className: 'tight' },
      cell: ({ status }) => <JobStatusTag status={status} />,
    },
    {
      ...{ key: 'what', title: columns.what, className: 'tight' },
      cell: ({ action, total }) => `${jobs.actions[action]} · ${jobs.items(shown(total))}`,
    },
    {
      ...{ key: 'progress', title: columns.progress, className: 'number' },
      cell: ({ done, total }) => `${shown(done)} / ${shown(total)}`,
    },
    { key: 'reason', title: common.reason, cell: ({ reason }) => reason },
    { key: 'by', title: columns.by, className: 'tight', cell: ({ actor }) => actor },
    {
      ...{ key: 'made', title: columns.made, className: 'tight' },
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
    },
  ];
}
