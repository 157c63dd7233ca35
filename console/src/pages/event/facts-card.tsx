import { Link } from 'react-router';
import type { EventView } from '../../api/views.js';
import { exactTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/copy-button.js';
import { EventType } from '../../parts/event-columns.js';
import { Facts } from '../../parts/facts.js';
import { ErrorMessage } from '../../parts/reason.js';
import { TimeText } from '../../parts/time-text.js';

export function FactsCard({ event }: { event: EventView }) {
  const { event: texts, events, common } = useText();
  const { entityKey, entityRef, errorCode, errorMessage, errorGroup, createTime } = event;
  return (
    <Card title={texts.facts}>
      <Facts
        items={[
          [events.eventType, <EventType key="type" event={event} />],
          [events.app, event.app],
          [events.corpId, <code key="corp">{event.corpId}</code>],
          [
            events.columns.entity,
            entityKey !== null && entityRef !== null ? (
              <Link key="entity" to={`/entities/${entityRef}`} className="code">
                {entityKey}
              </Link>
            ) : null,
          ],
          [texts.createTime, createTime === null ? null : exactTime(createTime * 1_000).slice(0, 19)],
          [texts.receivedAt, <TimeText key="received" at={event.receivedAt} as="exact" />],
          [texts.decidedAt, <TimeText key="decided" at={event.decidedAt} as="exact" />],
          [texts.dueAt, event.dueAt === null ? null : <TimeText key="due" at={event.dueAt} />],
          [texts.attempts, event.attempt],
          [
            texts.generation,
            <span key="generation" title={texts.generationHint}>
              {event.generation}
            </span>,
          ],
          [texts.laneSeq, event.laneSeq],
          [
            texts.error,
            errorCode === null ? null : (
              <div key="error">
                <code>{errorCode}</code>
                <div>{errorMessage !== null && <ErrorMessage text={errorMessage} />}</div>
                {errorGroup !== null && (
                  <Link to={`/events?errorGroup=${encodeURIComponent(errorGroup)}`}>{texts.sameError}</Link>
                )}
              </div>
            ),
          ],
          [events.msgId, event.msgId === null ? null : <code key="msg">{event.msgId}</code>],
          [
            texts.key,
            <div key="key" className="row">
              <code>{event.eventKey}</code>
              <CopyButton text={event.eventKey} label={`${common.copy}: ${texts.key}`} />
            </div>,
          ],
        ]}
      />
    </Card>
  );
}
