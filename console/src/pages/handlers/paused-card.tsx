import { Link } from 'react-router';
import type { HandlerPauseView, HandlersView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { TimeText } from '../../parts/time-text.js';

/** The service counts no further. */
const WAITING_SHOWN_MAX = 10_000;
const WAITING_PATH = '/events?errorCode=HANDLER_PAUSED';

interface Props {
  readonly view: HandlersView;
  readonly onResume: (name: string) => void;
}

/** Handlers that stand still, also those that the answering process does not have. Nothing when none does. */
export function PausedCard({ view: { items, paused }, onResume }: Props) {
  const { text, language } = useLanguage();
  const { handlers, common } = text;
  if (paused.length === 0) return null;
  const isHere = (name: string): boolean => items.some((item) => item.name === name);
  const waiting = (n: number): string =>
    n > WAITING_SHOWN_MAX ? handlers.waitMore(count(WAITING_SHOWN_MAX, language)) : count(n, language);
  return (
    <Card title={handlers.paused}>
      <DataTable<HandlerPauseView>
        label={handlers.paused}
        rows={paused}
        rowKey={({ handler }) => handler}
        columns={[
          {
            ...{ key: 'handler', title: handlers.columns.handler },
            cell: ({ handler }) => (
              <span>
                <code>{handler}</code>
                {!isHere(handler) && <span className="dim"> {handlers.notHere}</span>}
              </span>
            ),
          },
          {
            ...{ key: 'since', title: handlers.pausedSince, className: 'tight' },
            cell: ({ pausedAt }) => <TimeText at={pausedAt} as="ago" />,
          },
          { key: 'by', title: handlers.pausedBy, cell: ({ actor }) => actor },
          { key: 'why', title: common.reason, cell: ({ reason }) => (reason === '' ? '–' : reason) },
          {
            ...{ key: 'waiting', title: handlers.waiting },
            cell: ({ waiting: n }) => <Link to={WAITING_PATH}>{waiting(n)}</Link>,
          },
          {
            ...{
              key: 'resume',
              title: handlers.resume,
              head: <span className="hidden">{handlers.resume}</span>,
            },
            cell: ({ handler }) => (
              <GuardedButton
                role="operator"
                type="primary"
                size="small"
                aria-label={handlers.resumeNamed(handler)}
                onClick={() => onResume(handler)}
              >
                {handlers.resume}
              </GuardedButton>
            ),
          },
        ]}
      />
    </Card>
  );
}
