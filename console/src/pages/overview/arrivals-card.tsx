import type { ArrivalsView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { shortTime } from '../../format/times.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Tag } from '../../parts/tag.js';
import { STATUS_ORDER, STATUS_TONES } from '../../parts/tone.js';
import { stackedBars, totalsOf } from './stacked-bars.js';

const WIDTH = 600;
const HEIGHT = 150;

export function ArrivalsCard({ arrivals: { steps } }: { arrivals: ArrivalsView }) {
  const { text, language } = useLanguage();
  const { overview, statuses } = text;
  const { all, peak, byStatus } = totalsOf(steps);
  const now = Date.now();
  return (
    <Card title={overview.arrivals} over={overview.arrivalsWindow}>
      {all === 0 ? (
        <EmptyState title={overview.arrivalsEmpty} />
      ) : (
        <>
          <svg
            className="arrivals"
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={overview.arrivalsChart(count(all, language))}
          >
            {stackedBars(steps, { width: WIDTH, height: HEIGHT, peak }).map(({ key, status, title, ...rect }) => (
              <rect key={key} {...rect} fill={`var(--${STATUS_TONES[status] ?? 'calm'})`}>
                <title>{`${shortTime(title.at, now)} · ${statuses[status]}: ${count(title.count, language)}`}</title>
              </rect>
            ))}
          </svg>
          <div className="axis">
            <span>{shortTime(steps[0]?.at ?? now, now)}</span>
            <span>{overview.perMinutePeak(count(peak, language))}</span>
            <span>{shortTime(steps.at(-1)?.at ?? now, now)}</span>
          </div>
          <div className="legend">
            {STATUS_ORDER.filter((status) => byStatus[status]).map((status) => (
              <Tag key={status} tone={STATUS_TONES[status] ?? 'calm'}>
                {`${statuses[status]} ${count(byStatus[status] ?? 0, language)}`}
              </Tag>
            ))}
          </div>
        </>
      )}
    </Card>
  );
}
