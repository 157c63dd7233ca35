import { PauseOutlined, CaretRightOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { useTail } from '../../api/tail.js';
import type { TailItemView } from '../../api/views.js';
import { entityIdOf, entityRefOf } from '../../format/entity-key.js';
import type { Text } from '../../i18n/en.js';
import { useText } from '../../i18n/language.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { EventType } from '../../parts/event-columns.js';
import { ErrorNote } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { Reason } from '../../parts/reason.js';
import { StatusTag } from '../../parts/status-tag.js';
import { TimeText } from '../../parts/time-text.js';
import { EventsTabs } from './events-tabs.js';

export function TailPage() {
  const text = useText();
  const { events } = text;
  const [isRunning, setRunning] = useState(true);
  const { items, error, isLoading } = useTail(isRunning);
  return (
    <>
      <PageHead
        title={events.tail}
        intro={events.tailIntro}
        actions={
          <Button
            icon={isRunning ? <PauseOutlined aria-hidden /> : <CaretRightOutlined aria-hidden />}
            onClick={() => setRunning(!isRunning)}
          >
            {isRunning ? events.pause : events.resume}
          </Button>
        }
      />
      <EventsTabs />
      <section className="card" aria-label={events.tail}>
        {error !== null && <ErrorNote error={error} />}
        <p className="dim small" role="status">
          {isRunning ? events.tailWaiting : events.tailPaused}
        </p>
        {items.length === 0 && !isLoading && <EmptyState title={events.emptyAtAll} hint={events.emptyAtAllHint} />}
        {items.length > 0 && (
          <DataTable label={events.tail} columns={tailColumns(text)} rows={items} rowKey={({ id }) => id} />
        )}
      </section>
    </>
  );
}

function tailColumns({ events, event, common }: Text): Column<TailItemView>[] {
  return [
    { key: 'at', title: events.decided, className: 'tight', cell: ({ at }) => <TimeText at={at} as="exact" /> },
    {
      ...{ key: 'decision', title: events.status, className: 'tight' },
      cell: ({ decision }) => <StatusTag status={decision} />,
    },
    {
      ...{ key: 'type', title: events.columns.type },
      cell: (item) =>
        item.eventId === null ? (
          <span className="dim">{events.purged}</span>
        ) : (
          <Link to={`/events/${item.eventId}`}>
            <EventType event={item} />
          </Link>
        ),
    },
    {
      ...{ key: 'entity', title: events.columns.entity },
      cell: ({ entityKey }) =>
        entityKey !== null && (
          <Link to={`/entities/${entityRefOf(entityKey)}`} className="code">
            {entityIdOf(entityKey)}
          </Link>
        ),
    },
    { key: 'by', title: events.by, className: 'tight', cell: ({ actor }) => event.actors[actor] ?? actor },
    {
      key: 'why',
      title: common.reason,
      cell: ({ reason }) => (
        <span className="clamp">
          <Reason text={reason} />
        </span>
      ),
    },
  ];
}
