import { useParams } from 'react-router';
import { useEvent, useHistory } from '../../api/events.js';
import { useText } from '../../i18n/language.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { StatusTag } from '../../parts/status-tag.js';
import { LostPage } from '../lost-page.js';
import { EnvelopeCard } from './envelope-card.js';
import { EventActions } from './event-actions.js';
import { FactsCard } from './facts-card.js';
import { HistoryCard } from './history-card.js';
import { PayloadCard } from './payload-card.js';

export function EventPage() {
  const { id: text = '' } = useParams();
  return /^\d{1,15}$/.test(text) ? <OneEvent key={text} id={Number(text)} /> : <LostPage />;
}

function OneEvent({ id }: { id: number }) {
  const { event: texts } = useText();
  const event = useEvent(id);
  const history = useHistory(id, event.data?.decidedAt);
  return (
    <>
      <PageHead
        title={texts.title(id)}
        intro={event.data && <StatusTag status={event.data.status} />}
        actions={event.data && <EventActions event={event.data} />}
      />
      <LoadState query={event}>
        {(loaded) => (
          <div className="grid-wide">
            <div className="stack">
              <HistoryCard query={history} receivedAt={loaded.receivedAt} />
              <PayloadCard id={id} />
            </div>
            <div className="stack">
              <FactsCard event={loaded} />
              <EnvelopeCard gateway={loaded.gateway} />
            </div>
          </div>
        )}
      </LoadState>
    </>
  );
}
