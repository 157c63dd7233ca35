import { useParams } from 'react-router';
import { useJob } from '../../api/redrive-jobs.js';
import type { RedriveJobDetailView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { Facts } from '../../parts/facts.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { TimeText } from '../../parts/time-text.js';
import { LostPage } from '../lost-page.js';
import { ForecastCard } from './forecast-card.js';
import { ItemsCard } from './items-card.js';
import { JobActions } from './job-actions.js';
import { JobStatusTag } from './job-status-tag.js';
import { ProgressCard } from './progress-card.js';
import { ResultsCard } from './results-card.js';

export function JobPage() {
  const { id = '' } = useParams();
  return /^\d{1,15}$/.test(id) ? <OneJob key={id} id={Number(id)} /> : <LostPage />;
}

function OneJob({ id }: { id: number }) {
  const { jobs } = useLanguage().text;
  const query = useJob(id);
  const job = query.data;
  return (
    <>
      <PageHead
        title={jobs.job(id)}
        intro={job && <JobStatusTag status={job.status} />}
        actions={job && <JobActions job={job} />}
      />
      <LoadState query={query}>
        {(loaded) => (
          <div className="stack">
            <div className="grid-2">
              <ProgressCard job={loaded} />
              <WhatCard job={loaded} />
            </div>
            <div className="grid-2">
              <ForecastCard job={loaded} />
              <ResultsCard job={loaded} />
            </div>
            <ItemsCard job={loaded} />
          </div>
        )}
      </LoadState>
    </>
  );
}

function WhatCard({ job }: { job: RedriveJobDetailView }) {
  const { text, language } = useLanguage();
  const { jobs, common } = text;
  return (
    <Card
      title={`${jobs.actions[job.action]} · ${jobs.items(count(job.total, language))}`}
      over={jobs.madeBy(job.actor)}
    >
      <Facts
        items={[
          [common.reason, job.reason === '' ? null : job.reason],
          [jobs.filter, job.filter === null ? jobs.filterItems : <FilterText key="filter" filter={job.filter} />],
          [text.newJob.rate, jobs.rate(job.rate)],
          [jobs.made, <TimeText key="made" at={job.createdAt} />],
          [jobs.started, job.startedAt === null ? null : <TimeText key="started" at={job.startedAt} />],
          [jobs.finished, job.finishedAt === null ? null : <TimeText key="finished" at={job.finishedAt} />],
          [jobs.worksOn, job.leaseHolder === null ? null : <code key="holder">{job.leaseHolder}</code>],
        ]}
      />
    </Card>
  );
}

/** As the service keeps it: what is empty or not set restricts nothing. */
function FilterText({ filter }: { filter: object }) {
  const entries = Object.entries(filter as Record<string, unknown>).filter(
    ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return (
    <code>
      {entries
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')}
    </code>
  );
}
