import type { RedriveJobDetailView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { progressOf } from './progress.js';

export function ProgressCard({ job }: { job: RedriveJobDetailView }) {
  const { text, language } = useLanguage();
  const { jobs } = text;
  const { phase, done, total } = progressOf(job);
  const shown = (n: number): string => count(n, language);
  const said = {
    collect: jobs.collecting(shown(total)),
    forecast: jobs.forecastProgress(shown(done), shown(total)),
    run: jobs.runProgress(shown(done), shown(total)),
  }[phase];
  return (
    <Card title={jobs.columns.progress}>
      <div className="stack">
        <p>{total === 0 && job.status !== 'COLLECTING' ? jobs.emptyJob : said}</p>
        <div
          className="meter"
          role="progressbar"
          aria-label={said}
          aria-valuemin={0}
          aria-valuemax={Math.max(1, total)}
          aria-valuenow={done}
        >
          <div style={{ width: `${total === 0 ? 0 : (done / total) * 100}%` }} />
        </div>
        <p className="dim small">{jobs.rate(job.rate)}</p>
      </div>
    </Card>
  );
}
