import { createBrowserRouter } from 'react-router';
import { Shell } from './layout/shell.js';
import { AppsPage } from './pages/apps/apps-page.js';
import { AuditPage } from './pages/audit/audit-page.js';
import { DeadLettersPage } from './pages/dead-letters/dead-letters-page.js';
import { DeadListPage } from './pages/dead-letters/dead-list-page.js';
import { QueuePage } from './pages/dead-letters/queue-page.js';
import { EntityPage } from './pages/entity/entity-page.js';
import { EventPage } from './pages/event/event-page.js';
import { EventsPage } from './pages/events/events-page.js';
import { TailPage } from './pages/events/tail-page.js';
import { FailedPage } from './pages/failed-page.js';
import { HandlersPage } from './pages/handlers/handlers-page.js';
import { JobPage } from './pages/jobs/job-page.js';
import { JobsPage } from './pages/jobs/jobs-page.js';
import { LostPage } from './pages/lost-page.js';
import { OverviewPage } from './pages/overview/overview-page.js';
import { PasswordPage } from './pages/sign-in/password-page.js';
import { SetupPage } from './pages/sign-in/setup-page.js';
import { TokensPage } from './pages/users/tokens-page.js';
import { UsersPage } from './pages/users/users-page.js';

export function consoleRouter() {
  return createBrowserRouter(
    [
      { path: '/setup', element: <SetupPage />, errorElement: <FailedPage /> },
      {
        element: <Shell />,
        errorElement: <FailedPage />,
        children: [
          {
            // Inside of the shell, so that one page that fails leaves the way to the others.
            errorElement: <FailedPage />,
            children: [
              { path: '/', element: <OverviewPage /> },
              { path: '/events', element: <EventsPage /> },
              { path: '/events/tail', element: <TailPage /> },
              { path: '/events/:id', element: <EventPage /> },
              { path: '/entities/:entityRef', element: <EntityPage /> },
              { path: '/dead-letters', element: <DeadLettersPage /> },
              { path: '/dead-letters/list', element: <DeadListPage /> },
              { path: '/dead-letters/retry', element: <QueuePage status="RETRY" /> },
              { path: '/dead-letters/parked', element: <QueuePage status="PARKED" /> },
              { path: '/dead-letters/redriven', element: <QueuePage status="REDRIVEN" /> },
              { path: '/jobs', element: <JobsPage /> },
              { path: '/jobs/:id', element: <JobPage /> },
              { path: '/handlers', element: <HandlersPage /> },
              { path: '/apps', element: <AppsPage /> },
              { path: '/audit', element: <AuditPage /> },
              { path: '/users', element: <UsersPage /> },
              { path: '/users/tokens', element: <TokensPage /> },
              { path: '/password', element: <PasswordPage /> },
              { path: '*', element: <LostPage /> },
            ],
          },
        ],
      },
    ],
    { basename: '/console' },
  );
}
