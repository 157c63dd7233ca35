import { Link } from 'react-router';
import { useHandlers } from '../../api/reading.js';
import type { EventStatus, HandlerView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { Tag } from '../../parts/tag.js';
import { handlerGroups, type HandlerGroup } from './handler-groups.js';
import { STATUS_ORDER, STATUS_TONES } from '../../parts/tone.js';

export function HandlersPage() {
  const { handlers } = useLanguage().text;
  const query = useHandlers();
  return (
    <>
      <PageHead title={handlers.title} intro={`${handlers.intro} ${handlers.ofType}`} />
      <section className="card" aria-label={handlers.title}>
        <LoadState query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <EmptyState title={handlers.empty} hint={handlers.emptyHint} />
            ) : (
              <HandlerTable items={items} />
            )
          }
        </LoadState>
      </section>
    </>
  );
}

function HandlerTable({ items }: { items: readonly HandlerView[] }) {
  const { handlers } = useLanguage().text;
  const { columns } = handlers;
  return (
    <DataTable<HandlerGroup>
      label={handlers.title}
      rows={handlerGroups(items)}
      rowKey={({ eventType, name }) => `${eventType} ${name}`}
      columns={[
        { key: 'event', title: columns.event, cell: (group) => <Taken group={group} /> },
        {
          ...{ key: 'handler', title: columns.handler },
          cell: ({ name, builtIn }) => (
            <span className="row">
              <code>{name}</code>
              <Tag tone={builtIn ? 'calm' : 'info'} plain>
                {builtIn ? handlers.builtIn : handlers.own}
              </Tag>
            </span>
          ),
        },
        { key: 'machine', title: columns.machine, cell: ({ machine }) => <code>{machine ?? '–'}</code> },
        {
          ...{ key: 'order', title: columns.order, className: 'tight' },
          cell: ({ order }) => (order === null ? '–' : (handlers.order[order] ?? order)),
        },
        {
          ...{ key: 'statuses', title: columns.decisions },
          cell: ({ statuses }) => <Statuses statuses={statuses} />,
        },
      ]}
    />
  );
}

function Statuses({ statuses }: { statuses: Readonly<Record<string, number>> }) {
  const { text, language } = useLanguage();
  const shown = STATUS_ORDER.filter((status: EventStatus) => statuses[status]);
  if (shown.length === 0) return <span className="dim">{text.handlers.noDecisions}</span>;
  return (
    <span className="row">
      {shown.map((status) => (
        <Tag key={status} tone={STATUS_TONES[status] ?? 'calm'}>
          {`${text.statuses[status]} ${count(statuses[status] ?? 0, language)}`}
        </Tag>
      ))}
    </span>
  );
}

/** The event type, and below it the change types one by one. */
function Taken({ group: { eventType, changeTypes } }: { group: HandlerGroup }) {
  const address = `/events?eventType=${encodeURIComponent(eventType)}`;
  return (
    <div className="code">
      <Link to={address}>{eventType}</Link>
      <ul>
        {changeTypes.map((changeType) => (
          <li key={changeType}>
            {'/\u00a0'}
            <Link to={`${address}&changeType=${encodeURIComponent(changeType)}`}>{changeType}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
