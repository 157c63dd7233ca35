import { useSummary, useTraffic } from '../../api/reading.js';
import { useText } from '../../i18n/language.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { AnswersCard } from './answers-card.js';
import { ArrivalsCard } from './arrivals-card.js';
import { BalanceCard } from './balance-card.js';
import { DependenciesCard } from './dependencies-card.js';
import { OutcomesCard } from './outcomes-card.js';
import { PausedBanner } from './paused-banner.js';
import { StagesCard } from './stages-card.js';

export function OverviewPage() {
  const { overview } = useText();
  const summary = useSummary();
  const traffic = useTraffic();
  return (
    <>
      <PageHead title={overview.title} intro={summary.data && overview.instance(summary.data.instance)} />
      <div className="stack">
        <PausedBanner />
        <LoadState query={summary}>{(loaded) => <StagesCard summary={loaded} />}</LoadState>
        <LoadState query={traffic}>
          {({ callbacks, arrivals }) => (
            <div className="grid-wide even">
              <ArrivalsCard arrivals={arrivals} />
              <AnswersCard callbacks={callbacks} />
            </div>
          )}
        </LoadState>
        <LoadState query={summary}>
          {(loaded) => (
            <div className="grid-2">
              <BalanceCard balance={loaded.balance} />
              <OutcomesCard summary={loaded} />
            </div>
          )}
        </LoadState>
        <DependenciesCard />
      </div>
    </>
  );
}
