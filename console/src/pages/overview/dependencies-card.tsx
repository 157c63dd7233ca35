import { useDependencies } from '../../api/reading.js';
import type { DependencyView } from '../../api/views.js';
import { duration } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { DataTable } from '../../parts/data-table.js';
import { LoadState } from '../../parts/load-state.js';
import { useNow } from '../../parts/now.js';
import { Tag } from '../../parts/tag.js';
import type { Tone } from '../../parts/tone.js';

const TONES: Readonly<Record<string, Tone>> = { up: 'good', degraded: 'warn', down: 'bad' };

export function DependenciesCard() {
  const text = useText();
  const { overview, common, events } = text;
  const query = useDependencies();
  const now = useNow();
  return (
    <Card title={overview.dependencies} over={query.data && overview.dependenciesOf(query.data.instance)}>
      <LoadState query={query}>
        {({ items }) => (
          <DataTable<DependencyView>
            label={overview.dependencies}
            rows={items}
            rowKey={({ name }) => name}
            columns={[
              { key: 'name', title: overview.dependencies, cell: ({ name }) => overview.part[name] ?? name },
              {
                key: 'status',
                title: events.status,
                className: 'tight',
                cell: ({ status }) => <Tag tone={TONES[status] ?? 'calm'}>{overview.health[status] ?? status}</Tag>,
              },
              {
                key: 'since',
                title: overview.since(''),
                head: '',
                className: 'tight',
                cell: ({ since }) => overview.since(duration(now - since, text)),
              },
              { key: 'reason', title: common.reason, cell: ({ reason }) => reason },
            ]}
          />
        )}
      </LoadState>
    </Card>
  );
}
