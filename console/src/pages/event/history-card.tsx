import { useHistory } from '../../api/events.js';
import type { DecisionView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { Reason } from '../../parts/reason.js';
import { StatusTag } from '../../parts/status-tag.js';
import { Tag } from '../../parts/tag.js';
import { TimeText } from '../../parts/time-text.js';
import './history.css';

interface Props {
  readonly query: ReturnType<typeof useHistory>;
  readonly receivedAt: number;
}

export function HistoryCard({ query, receivedAt }: Props) {
  const { event } = useText();
  return (
    <Card title={event.history} over={event.historyIntro}>
      <LoadState query={query}>
        {({ gateway, items }) => (
          <>
            <ol className="history">
              <Arrival gateway={gateway as Record<string, unknown>} receivedAt={receivedAt} />
              {items.map((decision, index) => (
                <Decision key={`${decision.at}-${index}`} decision={decision} />
              ))}
            </ol>
            {items.length === 0 && <EmptyState title={event.emptyHistory} />}
          </>
        )}
      </LoadState>
    </Card>
  );
}

function Arrival({ gateway, receivedAt }: { gateway: Record<string, unknown>; receivedAt: number }) {
  const { event } = useText();
  const { guard, instance } = gateway;
  return (
    <li>
      <div className="row">
        <Tag tone="info">{event.arrived}</Tag>
        <TimeText at={receivedAt} as="exact" />
      </div>
      <p className="dim small">
        {[typeof instance === 'string' && event.on(instance), typeof guard === 'string' && `guard: ${guard}`]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  );
}

function Decision({ decision }: { decision: DecisionView }) {
  const { event } = useText();
  const { at, actor, instance, reason, generation, attempt } = decision;
  const known = event.actors[actor];
  return (
    <li>
      <div className="row">
        <StatusTag status={decision.decision} />
        <TimeText at={at} as="exact" />
      </div>
      <p>
        <Reason text={reason} />
      </p>
      <p className="dim small">
        {[
          known ?? event.byPerson(actor),
          event.on(instance),
          attempt > 0 && event.attempt(attempt),
          generation > 0 && event.generationN(generation),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  );
}
