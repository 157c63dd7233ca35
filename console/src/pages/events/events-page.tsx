import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { useEvents } from '../../api/events.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { eventColumns } from '../../parts/event-columns.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { PageHead } from '../../parts/page-head.js';
import { addressOf, filterOf, isEmpty, queryOf, type EventFilter } from './event-filter.js';
import { EventsTabs } from './events-tabs.js';
import { FilterForm } from './filter-form.js';

export function EventsPage() {
  const { text, language } = useLanguage();
  const [address, setAddress] = useSearchParams();
  const filter = filterOf(address);
  // A window ends when it is asked for; without this each drawing of the page would be another question.
  const [askedAt, setAskedAt] = useState(() => Date.now());
  const query = useEvents(queryOf(filter, askedAt));
  const search = (next: EventFilter): void => {
    setAskedAt(Date.now());
    setAddress(addressOf(next));
    void query.refetch();
  };
  return (
    <>
      <PageHead title={text.events.title} intro={text.events.linkHint} />
      <EventsTabs />
      <FilterForm key={address.toString()} filter={filter} onSearch={search} />
      <section className="card" aria-label={text.events.title} aria-busy={query.isFetching}>
        <LoadState query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ items }) => items);
            const last = pages.at(-1);
            if (rows.length === 0 && last?.next === null) return <Nothing isFiltered={!isEmpty(filter)} />;
            return (
              <>
                <p className="dim small">{text.events.count(count(rows.length, language), last?.next === null)}</p>
                <DataTable label={text.events.title} columns={eventColumns(text)} rows={rows} rowKey={({ id }) => id} />
                {last?.isPartial === true && <p className="dim">{text.events.partial}</p>}
                <MoreButton query={query} />
              </>
            );
          }}
        </LoadState>
      </section>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  const { events } = useLanguage().text;
  return isFiltered ? (
    <EmptyState title={events.empty} hint={events.emptyHint} />
  ) : (
    <EmptyState title={events.emptyAtAll} hint={events.emptyAtAllHint} />
  );
}
