import { useJobOutcomes } from '../../api/redrive-jobs.js';
import type { EventStatus, JobOutcomesView, RedriveJobDetailView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CountBars } from '../../parts/count-bars.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { StatusTag } from '../../parts/status-tag.js';
import { STATUS_TONES } from '../../parts/tone.js';
import { RESULT_TONES } from './item-tones.js';

/** First what the job did with its items, then what became of them: the one is no promise of the other. */
export function ResultsCard({ job }: { job: RedriveJobDetailView }) {
  const { jobs } = useText();
  const rows = Object.entries(job.results).map(([result, counted]) => ({
    ...{ key: result, title: jobs.resultNames[result] ?? result, count: counted },
    tone: RESULT_TONES[result] ?? 'calm',
  }));
  return (
    <Card title={jobs.results}>
      {rows.length === 0 ? (
        <EmptyState title={jobs.resultsNone} />
      ) : (
        <div className="stack">
          <CountBars rows={rows} />
          {(job.results['redriven'] ?? 0) > 0 && <Outcomes id={job.id} done={job.done} />}
        </div>
      )}
    </Card>
  );
}

function Outcomes({ id, done }: { id: number; done: number }) {
  const { jobs } = useText();
  const query = useJobOutcomes(id, done);
  return (
    <div>
      <h3>{jobs.outcomes}</h3>
      <p className="dim small">{jobs.outcomesNow}</p>
      <LoadState query={query}>{(outcomes) => <CountBars rows={rowsOf(outcomes, jobs.changedLater)} />}</LoadState>
    </div>
  );
}

function rowsOf({ statuses, changedLater }: JobOutcomesView, laterText: string) {
  const largestFirst = Object.entries(statuses).sort(([, a], [, b]) => b - a);
  const rows = largestFirst.map(([status, counted]) => ({
    ...{ key: status, title: <StatusTag status={status as EventStatus} />, count: counted },
    tone: STATUS_TONES[status] ?? ('calm' as const),
  }));
  return changedLater === 0
    ? rows
    : [...rows, { key: 'later', title: laterText, count: changedLater, tone: 'calm' as const }];
}
