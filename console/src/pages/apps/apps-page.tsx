import { useApps } from '../../api/reading.js';
import { useText } from '../../i18n/language.js';
import { EmptyState } from '../../parts/empty-state.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { AppCard } from './app-card.js';

export function AppsPage() {
  const { apps } = useText();
  const query = useApps();
  return (
    <>
      <PageHead title={apps.title} intro={apps.intro} />
      <LoadState query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState title={apps.empty} hint={apps.emptyHint} />
          ) : (
            <div className="stack">
              {items.map((app) => (
                <AppCard key={app.name} app={app} />
              ))}
            </div>
          )
        }
      </LoadState>
    </>
  );
}
