import { Link } from 'react-router';
import type { EventView } from '../api/views.js';
import type { Text } from '../i18n/en.js';
import type { Column } from './data-table.js';
import { entityIdOf } from '../format/entity-key.js';
import { ErrorMessage } from './reason.js';
import { StatusTag } from './status-tag.js';
import { TimeText } from './time-text.js';

/** How events are shown wherever there are several of them. */
export function eventColumns({ events }: Text): Column<EventView>[] {
  const { columns } = events;
  return [
    {
      ...{ key: 'received', title: columns.received, className: 'tight' },
      cell: ({ id, receivedAt }) => (
        <Link to={`/events/${id}`}>
          <TimeText at={receivedAt} />
        </Link>
      ),
    },
    {
      ...{ key: 'status', title: columns.status, className: 'tight' },
      cell: ({ status }) => <StatusTag status={status} />,
    },
    { key: 'type', title: columns.type, cell: (event) => <EventType event={event} /> },
    { key: 'app', title: columns.app, className: 'tight', cell: ({ app }) => app },
    {
      ...{ key: 'entity', title: columns.entity },
      cell: ({ entityKey, entityRef }) =>
        entityKey !== null &&
        entityRef !== null && (
          <Link to={`/entities/${entityRef}`} className="code" title={entityKey}>
            {entityIdOf(entityKey)}
          </Link>
        ),
    },
    { key: 'attempt', title: columns.attempt, className: 'number', cell: ({ attempt }) => attempt },
    {
      ...{ key: 'why', title: columns.why },
      cell: ({ errorCode, errorMessage }) =>
        errorCode !== null && (
          <span className="clamp" title={errorMessage ?? undefined}>
            <code>{errorCode}</code>{' '}
            <span className="dim">{errorMessage !== null && <ErrorMessage text={errorMessage} />}</span>
          </span>
        ),
    },
  ];
}

export function EventType({ event }: { event: { eventType: string | null; changeType: string | null } }) {
  return (
    <span className="code">
      {event.eventType}
      {event.changeType !== null && <span className="dim">{` / ${event.changeType}`}</span>}
    </span>
  );
}
