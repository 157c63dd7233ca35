import type { BalanceView } from '../../api/views.js';
import { count } from '../../format/numbers.js';
import { shortTime } from '../../format/times.js';
import { useLanguage } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { Tag } from '../../parts/tag.js';

/** Accepted = rows + duplicates + what still waits. Anything else is a question. */
export function BalanceCard({ balance }: { balance: BalanceView }) {
  const { text, language } = useLanguage();
  const { overview } = text;
  const lines = [
    ['+', balance.accepted, overview.balanceAccepted],
    ['+', balance.waitedAtStart, overview.balanceWaitedAtStart],
    ['−', balance.rows, overview.balanceRows],
    ['−', balance.duplicates, overview.balanceDuplicates],
    ['−', balance.waiting, overview.balanceWaiting],
  ] as const;
  const shown = (value: number | null): string => (value === null ? '–' : count(value, language));
  return (
    <Card title={overview.balance} over={overview.balanceSince(shortTime(balance.since, Date.now()))}>
      <table className="sum">
        <tbody>
          {lines.map(([sign, value, name]) => (
            <tr key={name}>
              <td>{sign}</td>
              <td>{shown(value)}</td>
              <th scope="row">{name}</th>
            </tr>
          ))}
          <tr className="difference">
            <td>=</td>
            <td>{shown(balance.missing)}</td>
            <th scope="row">{overview.balanceDifference}</th>
          </tr>
        </tbody>
      </table>
      <p style={{ marginTop: 10 }}>
        <Verdict missing={balance.missing} />
      </p>
    </Card>
  );
}

function Verdict({ missing }: { missing: number | null }) {
  const { overview } = useLanguage().text;
  if (missing === null) return <span className="dim">{overview.balanceUnknown}</span>;
  if (missing === 0) return <Tag tone="good">{overview.balanceOk}</Tag>;
  return (
    <>
      <Tag tone={missing > 0 ? 'warn' : 'calm'}>{missing > 0 ? `+${missing}` : missing}</Tag>{' '}
      <span className="dim">{missing > 0 ? overview.balanceMore : overview.balanceLess}</span>
    </>
  );
}
