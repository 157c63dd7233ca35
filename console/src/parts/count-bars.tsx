import type { ReactNode } from 'react';
import { count } from '../format/numbers.js';
import { useLanguage } from '../i18n/language.js';
import type { Tone } from './tone.js';

interface Row {
  readonly key: string;
  readonly title: ReactNode;
  readonly count: number;
  readonly tone?: Tone;
}

/** Counts side by side, each with its share of the largest drawn. */
export function CountBars({ rows }: { rows: readonly Row[] }) {
  const { language } = useLanguage();
  const largest = Math.max(1, ...rows.map((row) => row.count));
  return (
    <ul className="bars">
      {rows.map(({ key, title, count: counted, tone = 'info' }) => (
        <li key={key}>
          <span>{title}</span>
          <div
            className="bar"
            style={{
              width: `${(counted / largest) * 100}%`,
              minWidth: counted > 0 ? 3 : 0,
              color: `var(--${tone})`,
              opacity: 0.75,
            }}
          />
          <b>{count(counted, language)}</b>
        </li>
      ))}
    </ul>
  );
}
