import { useState } from 'react';
import { Link } from 'react-router';
import type { EntityView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { EmptyState } from '../../parts/empty-state.js';
import { EventType } from '../../parts/event-columns.js';
import { Reason } from '../../parts/reason.js';
import { StatusTag } from '../../parts/status-tag.js';
import { TimeText } from '../../parts/time-text.js';
import { isProblem, timelineOf, type TimelineEntry } from './timeline.js';
import '../event/history.css';

export function TimelineCard({ entity: { decisions, changes } }: { entity: EntityView }) {
  const { entity } = useText();
  const [isNarrow, setNarrow] = useState(false);
  const entries = timelineOf(decisions, changes).filter((entry) => !isNarrow || isProblem(entry));
  return (
    <Card
      title={entity.timeline}
      over={entity.timelineIntro}
      right={
        <label className="check">
          <input type="checkbox" checked={isNarrow} onChange={(event) => setNarrow(event.target.checked)} />
          {entity.onlyProblems}
        </label>
      }
    >
      {entries.length === 0 ? (
        <EmptyState title={decisions.length === 0 ? entity.timelineEmpty : entity.waitingEmpty} />
      ) : (
        <ol className="history">
          {entries.map((entry) => (
            <Entry key={entry.decision.id} entry={entry} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function Entry({ entry: { decision, change } }: { entry: TimelineEntry }) {
  const { entity, event, events } = useText();
  return (
    <li>
      <div className="row">
        <StatusTag status={decision.decision} />
        <TimeText at={decision.at} as="exact" />
        {decision.eventId === null ? (
          <span className="dim">{events.purged}</span>
        ) : (
          <Link to={`/events/${decision.eventId}`}>
            <EventType event={decision} />
          </Link>
        )}
        {change && <b className="code">{entity.moved(change.fromState, change.toState)}</b>}
      </div>
      <p>
        <Reason text={decision.reason} />
      </p>
      <p className="dim small">
        {[
          event.actors[decision.actor] ?? event.byPerson(decision.actor),
          decision.attempt > 0 && event.attempt(decision.attempt),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  );
}
