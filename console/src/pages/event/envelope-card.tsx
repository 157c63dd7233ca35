import { exactTime } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Facts } from '../../parts/facts.js';

const TIMES = new Set(['receivedAt', 'spooledSince']);

/** The gateway's own names: they are those of its log, where more can be looked up. */
export function EnvelopeCard({ gateway }: { gateway: object }) {
  const { event } = useText();
  const items = Object.entries(gateway as Record<string, unknown>).filter(([, value]) => value !== null);
  return (
    <Card title={event.envelope} over={event.envelopeIntro}>
      {items.length === 0 ? (
        <EmptyState title={event.emptyEnvelope} />
      ) : (
        <Facts items={items.map(([name, value]) => [name, <code key={name}>{shown(name, value)}</code>])} />
      )}
    </Card>
  );
}

function shown(name: string, value: unknown): string {
  if (typeof value === 'number' && TIMES.has(name)) return exactTime(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
