import {
  ApiOutlined,
  AuditOutlined,
  DashboardOutlined,
  InboxOutlined,
  NodeIndexOutlined,
  RedoOutlined,
  TeamOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons';
import { useEffect, type ReactNode } from 'react';
import { Link, NavLink } from 'react-router';
import { useQueues } from '../api/dead-letters.js';
import type { Text } from '../i18n/en.js';
import { useLanguage } from '../i18n/language.js';
import { count } from '../format/numbers.js';
import { covers, useUser } from '../session/session.js';

interface Item {
  readonly to: string;
  readonly icon: ReactNode;
  readonly title: string;
}

export function Navigation({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { text, language } = useLanguage();
  const { role } = useUser();
  const dead = useQueues().data?.items.find(({ status }) => status === 'DEAD')?.count ?? 0;
  useEffect(() => {
    if (!isOpen) return;
    const pressed = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') onClose();
    };
    const clicked = (event: MouseEvent): void => {
      if (event.target instanceof Element && !event.target.closest('.side, .menu-button')) onClose();
    };
    window.addEventListener('keydown', pressed);
    window.addEventListener('click', clicked);
    return () => {
      window.removeEventListener('keydown', pressed);
      window.removeEventListener('click', clicked);
    };
  }, [isOpen, onClose]);
  return (
    <div className={`side${isOpen ? ' open' : ''}`} id="navigation">
      <Link to="/" className="brand">
        <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" />
        <span>{text.product}</span>
      </Link>
      <nav className="nav" aria-label={text.nav.label}>
        <ul>
          {itemsOf(text, covers(role, 'admin')).map(({ to, icon, title }) => (
            <li key={to}>
              <NavLink to={to} end={to === '/'}>
                {icon}
                {title}
                {to === '/dead-letters' && dead > 0 && <span className="tally">{count(dead, language)}</span>}
              </NavLink>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function itemsOf({ nav }: Text, isAdmin: boolean): Item[] {
  return [
    { to: '/', icon: <DashboardOutlined aria-hidden />, title: nav.overview },
    { to: '/events', icon: <UnorderedListOutlined aria-hidden />, title: nav.events },
    { to: '/dead-letters', icon: <InboxOutlined aria-hidden />, title: nav.deadLetters },
    { to: '/jobs', icon: <RedoOutlined aria-hidden />, title: nav.jobs },
    { to: '/handlers', icon: <NodeIndexOutlined aria-hidden />, title: nav.handlers },
    { to: '/apps', icon: <ApiOutlined aria-hidden />, title: nav.apps },
    { to: '/audit', icon: <AuditOutlined aria-hidden />, title: nav.audit },
    ...(isAdmin ? [{ to: '/users', icon: <TeamOutlined aria-hidden />, title: nav.users }] : []),
  ];
}
