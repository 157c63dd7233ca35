import { Button } from 'antd';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useAudit } from '../../api/reading.js';
import type { AuditEntryView } from '../../api/views.js';
import type { Text } from '../../i18n/en.js';
import { useText } from '../../i18n/language.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { MoreButton } from '../../parts/more-button.js';
import { PageHead } from '../../parts/page-head.js';
import { TextField } from '../../parts/text-field.js';
import { TimeText } from '../../parts/time-text.js';
import '../events/filter-form.css';

const FILTERS = ['actor', 'action', 'target'] as const;

export function AuditPage() {
  const text = useText();
  const { audit } = text;
  const [address, setAddress] = useSearchParams();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, address.get(name) ?? '']));
  const query = useAudit(filter);
  return (
    <>
      <PageHead title={audit.title} intro={audit.intro} />
      <AuditFilter key={address.toString()} filter={filter} onSearch={(next) => setAddress(next)} />
      <section className="card" aria-label={audit.title}>
        <LoadState query={query}>
          {({ pages }) => {
            const rows = pages.flatMap(({ items }) => items);
            if (rows.length === 0) return <EmptyState title={audit.empty} hint={audit.emptyHint} />;
            return (
              <>
                <DataTable label={audit.title} columns={columnsOf(text)} rows={rows} rowKey={({ id }) => id} />
                <MoreButton query={query} />
              </>
            );
          }}
        </LoadState>
      </section>
    </>
  );
}

interface FilterProps {
  readonly filter: Readonly<Record<string, string>>;
  readonly onSearch: (filter: Record<string, string>) => void;
}

function AuditFilter({ filter, onSearch }: FilterProps) {
  const { audit, events } = useText();
  const [draft, setDraft] = useState(filter);
  return (
    <form
      className="card filter"
      aria-label={events.filters}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(Object.fromEntries(Object.entries(draft).filter(([, value]) => value.trim() !== '')));
      }}
    >
      <div className="filter-fields">
        {FILTERS.map((name) => (
          <TextField
            key={name}
            label={audit[name]}
            autoComplete="on"
            required={false}
            value={draft[name] ?? ''}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        ))}
      </div>
      <div className="row">
        <Button type="primary" htmlType="submit">
          {events.apply}
        </Button>
        {FILTERS.some((name) => filter[name]) && <Button onClick={() => onSearch({})}>{events.clear}</Button>}
      </div>
    </form>
  );
}

function columnsOf({ audit }: Text): Column<AuditEntryView>[] {
  const { columns } = audit;
  return [
    { key: 'at', title: columns.at, className: 'tight', cell: ({ at }) => <TimeText at={at} /> },
    { key: 'actor', title: columns.actor, className: 'tight', cell: ({ actor }) => actor },
    { key: 'action', title: columns.action, className: 'tight', cell: ({ action }) => <code>{action}</code> },
    { key: 'target', title: columns.target, className: 'tight', cell: ({ target }) => <Target target={target} /> },
    {
      ...{ key: 'detail', title: columns.detail },
      cell: ({ detail }) => (
        <code className="clamp" title={JSON.stringify(detail)}>
          {JSON.stringify(detail)}
        </code>
      ),
    },
  ];
}

/** `event:42` and `redrive-job:7` have pages. */
function Target({ target }: { target: string }) {
  const [, kind, id] = /^(event|redrive-job):(\d+)$/.exec(target) ?? [];
  if (kind === undefined || id === undefined) return <code>{target}</code>;
  return <Link to={kind === 'event' ? `/events/${id}` : `/jobs/${id}`}>{target}</Link>;
}
