import { useEffect, useRef, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useSessionState, type SessionUser } from '../api/session.js';
import { useText } from '../i18n/language.js';
import { LoadState } from '../parts/load-state.js';
import { SignInPage } from '../pages/sign-in/sign-in-page.js';
import { SessionContext } from '../session/session.js';
import { Navigation } from './navigation.js';
import { TopBar } from './top-bar.js';

/** Around every page but the set-up: whoever is not signed in signs in here, at the address that was asked for. */
export function Shell() {
  const session = useSessionState();
  return (
    <LoadState query={session}>
      {(state) =>
        state.kind === 'out' ? <SignInPage setupNeeded={state.setupNeeded} /> : <Inside user={state.user} />
      }
    </LoadState>
  );
}

function Inside({ user }: { user: SessionUser }) {
  const { skipToContent } = useText();
  const { pathname } = useLocation();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    setMenuOpen(false);
    // A new page: keyboard and screen reader go on from its begin. Not at the first one, which is the browser's.
    if (!isFirst.current) content.current?.focus();
    isFirst.current = false;
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <SessionContext.Provider value={user}>
      <a
        className="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          content.current?.focus();
        }}
      >
        {skipToContent}
      </a>
      <div className="shell">
        <Navigation isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
        <div style={{ minWidth: 0 }}>
          <TopBar isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
          <main id="content" className="content" tabIndex={-1} ref={content}>
            <Outlet />
          </main>
        </div>
      </div>
    </SessionContext.Provider>
  );
}
