import { useId, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Over which time its numbers are. */
  readonly over?: ReactNode;
  readonly right?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Card({ title, over, right, children }: Props) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {over !== undefined && <span className="over">{over}</span>}
        {right !== undefined && <div className="right row">{right}</div>}
      </header>
      {children}
    </section>
  );
}
