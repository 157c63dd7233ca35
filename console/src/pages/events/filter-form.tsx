import { Button } from 'antd';
import { useState } from 'react';
import { useText } from '../../i18n/language.js';
import { useUser } from '../../session/session.js';
import { Choice } from '../../parts/choice.js';
import { TextField } from '../../parts/text-field.js';
import { STATUS_ORDER } from '../../parts/tone.js';
import { FIRST_FILTERS, isEmpty, NO_FILTER, TEXT_FILTERS, type EventFilter } from './event-filter.js';
import { TimeFilter } from './time-filter.js';
import './filter-form.css';

interface Props {
  readonly filter: EventFilter;
  readonly onSearch: (filter: EventFilter) => void;
  /** Where only one status is possible. */
  readonly hasStatus?: boolean;
}

/** Give it the address as its key, so that it begins anew when somebody goes back or follows a link. */
export function FilterForm({ filter, onSearch, hasStatus = true }: Props) {
  const { events, statuses, common } = useText();
  const [draft, setDraft] = useState(filter);
  const rest = TEXT_FILTERS.filter((name) => !FIRST_FILTERS.includes(name));
  const [showsAll, setShowsAll] = useState(() => rest.some((name) => filter.texts[name] !== undefined));
  const { permissions } = useUser();
  // Who searches the plaintext letter by letter reads it in the end.
  const allowed = TEXT_FILTERS.filter((name) => name !== 'text' || permissions.includes('payload'));
  const shown = showsAll ? allowed : FIRST_FILTERS;
  const status = draft.statuses.length > 1 ? draft.statuses.join(',') : (draft.statuses[0] ?? '');
  const change = (next: EventFilter): void => {
    setDraft(next);
    onSearch(next);
  };
  return (
    <form
      className="card filter"
      aria-label={events.filters}
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(draft);
      }}
    >
      <div className="filter-fields">
        {hasStatus && (
          <Choice
            showLabel
            label={events.status}
            value={status}
            options={[
              ['', common.all],
              ...STATUS_ORDER.map((one) => [one, statuses[one]] as const),
              ...(status.includes(',') ? [[status, status] as const] : []),
            ]}
            onChange={(chosen) => change({ ...draft, statuses: chosen === '' ? [] : chosen.split(',') })}
          />
        )}
        <TimeFilter filter={draft} onDraft={setDraft} onSearch={change} />
        {shown.map((name) => (
          <TextField
            key={name}
            label={events[name]}
            autoComplete="on"
            required={false}
            maxLength={512}
            value={draft.texts[name] ?? ''}
            onChange={(value) => setDraft({ ...draft, texts: { ...draft.texts, [name]: value } })}
          />
        ))}
      </div>
      <div className="row">
        <Button type="primary" htmlType="submit">
          {events.apply}
        </Button>
        {!isEmpty(filter) && <Button onClick={() => change(NO_FILTER)}>{events.clear}</Button>}
        <Button type="link" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? events.fewerFilters : events.moreFilters}
        </Button>
      </div>
    </form>
  );
}
