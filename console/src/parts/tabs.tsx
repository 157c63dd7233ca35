import { NavLink } from 'react-router';
import type { ReactNode } from 'react';

interface Props {
  readonly label: string;
  readonly items: readonly { readonly to: string; readonly title: ReactNode }[];
}

/** Views of one thing, each with an address of its own. */
export function Tabs({ label, items }: Props) {
  return (
    <nav className="tabs" aria-label={label}>
      {items.map(({ to, title }) => (
        <NavLink key={to} to={to} end>
          {title}
        </NavLink>
      ))}
    </nav>
  );
}
