import type { AnswersView } from '../../api/views.js';
import { count, percent, rate } from '../../format/numbers.js';
import { duration } from '../../format/times.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Figure } from '../../parts/figure.js';
import { Tag } from '../../parts/tag.js';

export function AnswersCard({ callbacks }: { callbacks: AnswersView | null }) {
  const { text } = useLanguage();
  const { overview } = text;
  if (!callbacks) {
    return (
      <Card title={overview.answers}>
        <EmptyState title={overview.noCallbacks} />
      </Card>
    );
  }
  const window = duration(callbacks.to - callbacks.from, text);
  return (
    <Card title={overview.answers} over={overview.answersWindow(window)}>
      {callbacks.answered === 0 && Object.keys(callbacks.refused).length === 0 ? (
        <EmptyState title={overview.noAnswers} />
      ) : (
        <Answered callbacks={callbacks} />
      )}
    </Card>
  );
}

function Answered({ callbacks }: { callbacks: AnswersView }) {
  const { text, language } = useLanguage();
  const { overview } = text;
  const { answered, withinAim, from, to, p50Ms, p95Ms, p99Ms, answers, refused } = callbacks;
  const seconds = Math.max(1, (to - from) / 1_000);
  const refusals = Object.entries(refused);
  const bound = (ms: number | null): string => {
    if (ms === null) return '–';
    return ms < 0 ? overview.overLimit : overview.atMost(ms);
  };
  return (
    <div className="stack">
      <div className="figures">
        <Figure value={rate(answered / seconds, language)} of={overview.perSecond} />
        <Figure value={count(answered, language)} of={overview.answered} />
        <Figure value={percent(withinAim, answered, language)} of={overview.withinAim} />
      </div>
      <div className="figures small-ones">
        <Figure value={bound(p50Ms)} of={overview.p(50)} title={overview.quantileHint} />
        <Figure value={bound(p95Ms)} of={overview.p(95)} title={overview.quantileHint} />
        <Figure value={bound(p99Ms)} of={overview.p(99)} title={overview.quantileHint} />
      </div>
      <div className="row">
        {Object.entries(answers).map(([answer, total]) => (
          <Tag key={answer} tone={answer === 'not-durable' ? 'bad' : 'calm'} plain>
            {`${overview.byAnswer[answer] ?? answer} ${count(total, language)}`}
          </Tag>
        ))}
        {refusals.length === 0 && <span className="dim small">{overview.refusedNone}</span>}
        {refusals.map(([code, total]) => (
          <Tag key={code} tone="warn" plain>
            {`${overview.refused}: ${code} ${count(total, language)}`}
          </Tag>
        ))}
      </div>
    </div>
  );
}
