import type { ReactNode } from 'react';

/** A number and what it is a number of. */
export function Figure({ value, of, title }: { value: ReactNode; of: ReactNode; title?: string }) {
  return (
    <div className="figure" title={title}>
      <b>{value}</b>
      <span>{of}</span>
    </div>
  );
}
