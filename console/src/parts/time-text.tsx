import { distance, exactTime, shortTime } from '../format/times.js';
import { useText } from '../i18n/language.js';
import { useNow } from './now.js';

interface Props {
  /** Milliseconds since 1970. */
  readonly at: number | null;
  /** `clock`: the time itself, with how long ago in the title; `ago`: the other way round; `exact`: with milliseconds. */
  readonly as?: 'clock' | 'ago' | 'exact';
}

export function TimeText({ at, as = 'clock' }: Props) {
  const text = useText();
  const now = useNow();
  if (at === null) return <span className="dim">{text.common.never}</span>;
  const ago = distance(at, now, text);
  const exact = exactTime(at);
  const shown = as === 'ago' ? ago : as === 'exact' ? exact : shortTime(at, now);
  return (
    <time dateTime={new Date(at).toISOString()} title={as === 'ago' ? exact : `${exact} · ${ago}`}>
      {shown}
    </time>
  );
}
