import { Link, useParams } from 'react-router';
import { useEntity } from '../../api/reading.js';
import type { EntityView } from '../../api/views.js';
import { entityIdOf } from '../../format/entity-key.js';
import { exactTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { eventColumns } from '../../parts/event-columns.js';
import { Facts } from '../../parts/facts.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { Tag } from '../../parts/tag.js';
import { MachineCard } from './machine-card.js';
import { TimelineCard } from './timeline-card.js';

export function EntityPage() {
  const { entityRef = '' } = useParams();
  const { entity: texts } = useText();
  const query = useEntity(entityRef);
  return (
    <>
      <PageHead
        title={query.data ? entityIdOf(query.data.key) : texts.title}
        intro={query.data && <code>{query.data.key}</code>}
        actions={
          query.data && <Link to={`/events?entityKey=${encodeURIComponent(query.data.key)}`}>{texts.allEvents}</Link>
        }
      />
      <LoadState query={query}>
        {(entity) => (
          <div className="stack">
            <StandCard entity={entity} />
            <MachineCard entity={entity} />
            <TimelineCard entity={entity} />
            <WaitingCard entity={entity} />
          </div>
        )}
      </LoadState>
    </>
  );
}

function StandCard({ entity }: { entity: EntityView }) {
  const { entity: texts, event } = useText();
  const { facts } = event;
  const { state, order, version, lastEventTime, unconfirmed, tombstone } = entity;
  return (
    <Card title={facts}>
      <Facts
        items={[
          [
            texts.state,
            <span key="state" className="row">
              <b className="code">{state === '' ? texts.noState : state}</b>
              {unconfirmed && (
                <Tag tone="warn" title={texts.unconfirmedHint}>
                  {texts.unconfirmed}
                </Tag>
              )}
              {tombstone && (
                <Tag tone="calm" title={texts.tombstoneHint}>
                  {texts.tombstone}
                </Tag>
              )}
            </span>,
          ],
          [texts.version, version],
          [texts.lastEvent, lastEventTime === null ? null : exactTime(lastEventTime * 1_000).slice(0, 19)],
          [texts.order, order === null ? null : (texts.orders[order] ?? order)],
        ]}
      />
      {unconfirmed && <p className="dim small">{texts.unconfirmedHint}</p>}
    </Card>
  );
}

function WaitingCard({ entity: { waiting } }: { entity: EntityView }) {
  const text = useText();
  return (
    <Card title={text.entity.waiting} over={text.entity.waitingIntro}>
      {waiting.length === 0 ? (
        <EmptyState title={text.entity.waitingEmpty} />
      ) : (
        <DataTable label={text.entity.waiting} columns={eventColumns(text)} rows={waiting} rowKey={({ id }) => id} />
      )}
    </Card>
  );
}
