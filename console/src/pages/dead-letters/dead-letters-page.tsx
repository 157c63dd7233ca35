import { useState } from 'react';
import { Link } from 'react-router';
import { useErrorGroups } from '../../api/dead-letters.js';
import type { ErrorGroupView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { useLanguage } from '../../i18n/language.js';
import { DataTable } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { LoadState } from '../../parts/load-state.js';
import { PageHead } from '../../parts/page-head.js';
import { ErrorMessage } from '../../parts/reason.js';
import { TimeText } from '../../parts/time-text.js';
import { DeadLettersTabs } from './dead-letters-tabs.js';
import { NewJobDialog } from './new-job-dialog.js';
import type { JobScope } from './job-scope.js';

export function DeadLettersPage() {
  const { text, language } = useLanguage();
  const { deadLetters, newJob } = text;
  const query = useErrorGroups();
  const [scope, setScope] = useState<JobScope | null>(null);
  const total = query.data?.items.reduce((sum, group) => sum + group.count, 0) ?? 0;
  const scopeOf = (action: JobScope['action'], group: ErrorGroupView): JobScope => ({
    ...{ action, filter: { errorGroup: group.group }, title: newJob.scopeGroup(count(group.count, language)) },
  });
  return (
    <>
      <PageHead
        title={deadLetters.title}
        intro={deadLetters.intro}
        actions={
          total > 0 && (
            <GuardedButton
              role="operator"
              onClick={() => setScope({ action: 'redrive', filter: {}, title: newJob.scopeAll })}
            >
              {deadLetters.redriveEvery(count(total, language))}
            </GuardedButton>
          )
        }
      />
      <DeadLettersTabs />
      <section className="card" aria-label={deadLetters.groups}>
        <LoadState query={query}>
          {({ items, isComplete }) =>
            items.length === 0 ? (
              <EmptyState title={deadLetters.empty} hint={deadLetters.emptyHint} />
            ) : (
              <>
                <GroupTable groups={items} onScope={(action, group) => setScope(scopeOf(action, group))} />
                {!isComplete && <p className="dim">{deadLetters.incomplete}</p>}
              </>
            )
          }
        </LoadState>
      </section>
      {scope && <NewJobDialog scope={scope} onClose={() => setScope(null)} />}
    </>
  );
}

interface TableProps {
  readonly groups: readonly ErrorGroupView[];
  readonly onScope: (action: JobScope['action'], group: ErrorGroupView) => void;
}

function GroupTable({ groups, onScope }: TableProps) {
  const { text, language } = useLanguage();
  const { deadLetters, common } = text;
  return (
    <DataTable<ErrorGroupView>
      label={deadLetters.groups}
      rows={groups}
      rowKey={({ group }) => group}
      columns={[
        {
          ...{ key: 'error', title: deadLetters.columns.error },
          cell: ({ errorCode, message, example }) => (
            <div>
              <code>{errorCode}</code>
              <div>
                <ErrorMessage text={message} />
              </div>
              <Link className="small" to={`/events/${example.id}`}>
                {deadLetters.example}
              </Link>
            </div>
          ),
        },
        {
          ...{ key: 'count', title: `${deadLetters.columns.count} (${deadLetters.now})`, className: 'number' },
          cell: (group) => (
            <Link to={`/dead-letters/list?errorGroup=${encodeURIComponent(group.group)}`}>
              <b>{count(group.count, language)}</b>
            </Link>
          ),
        },
        {
          ...{ key: 'first', title: deadLetters.columns.first, className: 'tight' },
          cell: ({ firstReceivedAt }) => <TimeText at={firstReceivedAt} as="ago" />,
        },
        {
          ...{ key: 'last', title: deadLetters.columns.last, className: 'tight' },
          cell: ({ lastReceivedAt }) => <TimeText at={lastReceivedAt} as="ago" />,
        },
        {
          ...{ key: 'do', title: common.actions, className: 'tight' },
          cell: (group) => (
            <span className="row tight-row">
              <GuardedButton role="operator" size="small" type="primary" onClick={() => onScope('redrive', group)}>
                {deadLetters.redriveAll}
              </GuardedButton>
              <GuardedButton role="operator" size="small" danger onClick={() => onScope('discard', group)}>
                {deadLetters.discardAll}
              </GuardedButton>
            </span>
          ),
        },
      ]}
    />
  );
}
