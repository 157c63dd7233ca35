import type { ReactNode } from 'react';

/** Nothing to show is a state too: it says why, and what to do. */
export function EmptyState({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="state">
      <strong>{title}</strong>
      {hint !== undefined && <p>{hint}</p>}
      {children}
    </div>
  );
}
