import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useEvents } from '../../api/events.js';
import type { EventView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { eventColumns } from '../../parts/event-columns.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { PageHead } from '../../parts/page-head.js';
import { addressOf, filterOf, isEmpty, queryOf, type EventFilter } from '../events/event-filter.js';
import { FilterForm } from '../events/filter-form.js';
import { DeadLettersTabs } from './dead-letters-tabs.js';
import type { JobScope } from './job-scope.js';
import { NewJobDialog } from './new-job-dialog.js';

export function DeadListPage() {
  const { text, language } = useLanguage();
  const { deadLetters } = text;
  const [address, setAddress] = useSearchParams();
  const filter: EventFilter = { ...filterOf(address), statuses: [] };
  const [askedAt, setAskedAt] = useState(() => Date.now());
  const asked = queryOf(filter, askedAt);
  const query = useEvents(asked, 'dead-letters');
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const [scope, setScope] = useState<JobScope | null>(null);
  const search = (next: EventFilter): void => {
    setAskedAt(Date.now());
    setAddress(addressOf(next));
    void query.refetch();
  };
  return (
    <>
      <PageHead title={deadLetters.title} intro={deadLetters.intro} />
      <DeadLettersTabs />
      <FilterForm key={address.toString()} filter={filter} onSearch={search} hasStatus={false} />
      <section className="card" aria-label={deadLetters.list} aria-busy={query.isFetching}>
        <LoadState query={query}>
          {({ pages }) =>
            rows.length === 0 && !query.hasNextPage ? (
              <EmptyState
                title={isEmpty(filter) ? deadLetters.empty : text.events.empty}
                hint={isEmpty(filter) ? deadLetters.emptyHint : text.events.emptyHint}
              />
            ) : (
              <>
                <p className="dim small">{text.events.count(count(rows.length, language), !query.hasNextPage)}</p>
                <Selectable rows={rows} filter={asked} isFiltered={!isEmpty(filter)} onScope={setScope} />
                {pages.at(-1)?.isPartial === true && <p className="dim">{text.events.partial}</p>}
                <MoreButton query={query} />
              </>
            )
          }
        </LoadState>
      </section>
      {scope && <NewJobDialog scope={scope} onClose={() => setScope(null)} />}
    </>
  );
}

interface SelectableProps {
  readonly rows: readonly EventView[];
  readonly filter: Readonly<Record<string, unknown>>;
  readonly isFiltered: boolean;
  readonly onScope: (scope: JobScope) => void;
}

function Selectable({ rows, filter, isFiltered, onScope }: SelectableProps) {
  const { text } = useLanguage();
  const { deadLetters, newJob } = text;
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  // What was loaded anew and is dead no more cannot stay chosen.
  const items = rows.filter(({ id }) => chosen.has(id)).map(({ id, generation }) => ({ id, generation }));
  const act = (action: JobScope['action']): void =>
    onScope(
      items.length > 0
        ? { action, items, title: newJob.scopeItems(items.length) }
        : { action, filter, title: isFiltered ? newJob.scopeFilter : newJob.scopeAll },
    );
  return (
    <>
      <div className="row" style={{ margin: '8px 0' }} role="group" aria-label={deadLetters.selected(items.length)}>
        <GuardedButton role="operator" type="primary" onClick={() => act('redrive')}>
          {items.length > 0 ? deadLetters.redriveSelected(items.length) : deadLetters.redriveFilter}
        </GuardedButton>
        <GuardedButton role="operator" danger onClick={() => act('discard')}>
          {items.length > 0 ? deadLetters.discardSelected(items.length) : deadLetters.discardFilter}
        </GuardedButton>
      </div>
      <DataTable
        label={deadLetters.list}
        columns={[selectColumn(rows, chosen, setChosen, deadLetters), ...eventColumns(text)]}
        rows={rows}
        rowKey={({ id }) => id}
      />
    </>
  );
}

function selectColumn(
  rows: readonly EventView[],
  chosen: ReadonlySet<number>,
  choose: (chosen: ReadonlySet<number>) => void,
  { selectAll, select }: { selectAll: string; select: (id: number) => string },
): Column<EventView> {
  const isAll = rows.every(({ id }) => chosen.has(id));
  const toggle = (id: number): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return {
    ...{ key: 'select', title: '', className: 'tight' },
    head: (
      <input
        type="checkbox"
        checked={isAll}
        aria-label={selectAll}
        onChange={() => choose(isAll ? new Set() : new Set(rows.map(({ id }) => id)))}
      />
    ),
    cell: ({ id }) => (
      <input type="checkbox" checked={chosen.has(id)} aria-label={select(id)} onChange={() => toggle(id)} />
    ),
  };
}
