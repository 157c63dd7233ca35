import { useState } from 'react';
import { Link } from 'react-router';
import { useHandlers, type HandlerMove } from '../../api/handlers.js';
import type { EventStatus, HandlersView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { Tag } from '../../parts/tag.js';
import { TimeText } from '../../parts/time-text.js';
import { STATUS_ORDER, STATUS_TONES } from '../../parts/tone.js';
import { handlerGroups, type HandlerGroup } from './handler-groups.js';
import { HandlerMoveDialog } from './handler-move-dialog.js';
import { PausedCard } from './paused-card.js';

interface Move {
  readonly name: string;
  readonly move: HandlerMove;
}

export function HandlersPage() {
  const { handlers } = useLanguage().text;
  const query = useHandlers();
  const [asked, setAsked] = useState<Move | null>(null);
  const intro = query.data && (
    <>
      {handlers.intro} {handlers.since} <TimeText at={query.data.since} />
    </>
  );
  return (
    <>
      <PageHead title={handlers.title} intro={intro} />
      <div className="stack">
        <LoadState query={query}>
          {(view) => (
            <>
              <PausedCard view={view} onResume={(name) => setAsked({ name, move: 'resume' })} />
              <section className="card" aria-label={handlers.title}>
                {view.items.length === 0 ? (
                  <EmptyState title={handlers.empty} hint={handlers.emptyHint} />
                ) : (
                  <HandlerTable view={view} onPause={(name) => setAsked({ name, move: 'pause' })} />
                )}
              </section>
            </>
          )}
        </LoadState>
      </div>
      {asked && <HandlerMoveDialog {...asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function HandlerTable({ view: { items, paused }, onPause }: { view: HandlersView; onPause: (name: string) => void }) {
  const { text, language } = useLanguage();
  const { handlers } = text;
  const { columns } = handlers;
  const isPaused = (name: string): boolean => paused.some(({ handler }) => handler === name);
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
              {isPaused(name) && <Tag tone="warn">{handlers.pausedTag}</Tag>}
            </span>
          ),
        },
        { key: 'machine', title: columns.machine, cell: ({ machine }) => <code>{machine ?? '–'}</code> },
        {
          ...{ key: 'order', title: columns.order, className: 'tight' },
          cell: ({ order }) => (order === null ? '–' : (handlers.order[order] ?? order)),
        },
        {
          ...{ key: 'statuses', title: columns.statuses },
          cell: ({ statuses }) => <Statuses statuses={statuses} />,
        },
        {
          ...{ key: 'runs', title: columns.runs, className: 'number' },
          cell: ({ runs, failedRuns }) => (
            <span>
              {count(runs, language)}
              {failedRuns > 0 && (
                <>
                  <br />
                  <Tag tone="bad">{handlers.failures(count(failedRuns, language))}</Tag>
                </>
              )}
            </span>
          ),
        },
        {
          ...{ key: 'pause', title: handlers.pause, head: <span className="hidden">{handlers.pause}</span> },
          cell: ({ name }) => (
            <GuardedButton
              role="operator"
              size="small"
              blocked={isPaused(name) ? handlers.alreadyPaused : undefined}
              aria-label={handlers.pauseNamed(name)}
              onClick={() => onPause(name)}
            >
              {handlers.pause}
            </GuardedButton>
          ),
        },
      ]}
    />
  );
}

function Statuses({ statuses }: { statuses: Readonly<Record<string, number>> }) {
  const { text, language } = useLanguage();
  const shown = STATUS_ORDER.filter((status: EventStatus) => statuses[status]);
  if (shown.length === 0) return <span className="dim">{text.handlers.noEvents}</span>;
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
