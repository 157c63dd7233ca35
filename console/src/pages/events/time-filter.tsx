import { useId } from 'react';
import { exactTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Choice } from '../../parts/choice.js';
import { WINDOWS, type EventFilter, type WindowName } from './event-filter.js';

interface Props {
  readonly filter: EventFilter;
  readonly onDraft: (filter: EventFilter) => void;
  readonly onSearch: (filter: EventFilter) => void;
}

/** A window back from now, or two times of one's own in local time. */
export function TimeFilter({ filter, onDraft, onSearch }: Props) {
  const { events } = useText();
  const choose = (window: WindowName): void => {
    if (window !== 'custom') return onSearch({ ...filter, window, from: null, to: null });
    onDraft({ ...filter, window, from: Date.now() - WINDOWS.h24, to: null });
  };
  return (
    <>
      <Choice
        showLabel
        label={events.received}
        value={filter.window}
        options={(['all', 'm15', 'h1', 'h24', 'd7', 'custom'] as const).map((name) => [name, events.windows[name]])}
        onChange={choose}
      />
      {filter.window === 'custom' && (
        <>
          <TimeField label={events.from} at={filter.from} onChange={(from) => onDraft({ ...filter, from })} />
          <TimeField label={events.to} at={filter.to} onChange={(to) => onDraft({ ...filter, to })} />
        </>
      )}
    </>
  );
}

function TimeField({
  label,
  at,
  onChange,
}: {
  label: string;
  at: number | null;
  onChange: (at: number | null) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="select"
        type="datetime-local"
        step={1}
        value={at === null ? '' : exactTime(at).slice(0, 19).replace(' ', 'T')}
        onChange={(event) => onChange(event.target.value === '' ? null : new Date(event.target.value).getTime())}
      />
    </div>
  );
}
