import { Input } from 'antd';
import { useId, useState } from 'react';
import { Link } from 'react-router';
import type { AppView, KeyPairView } from '../../api/views.js';
import { duration } from '../../format/times.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/copy-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Facts } from '../../parts/facts.js';
import { Tag } from '../../parts/tag.js';
import { TimeText } from '../../parts/time-text.js';

const KEPT_AS = 'console.publicAddress';
const ROTATION_TONES = { none: 'calm', waiting: 'warn', switched: 'info' } as const;

export function AppCard({ app }: { app: AppView }) {
  const text = useText();
  const { apps } = text;
  return (
    <Card
      title={app.name}
      over={<TimeTextOf at={app.lastEventAt} />}
      right={<Link to={`/events?app=${encodeURIComponent(app.name)}`}>{text.nav.events}</Link>}
    >
      <div className="stack">
        <CallbackUrl path={app.callbackPath} />
        <Facts
          items={[
            [
              apps.receiveIds,
              <code key="ids">{app.receiveIds.map((id) => (id === '' ? apps.anyId : id)).join(', ')}</code>,
            ],
            [apps.deadline, duration(app.deadlineMs, text)],
            [apps.nackMode, apps.nackModes[app.nackMode] ?? app.nackMode],
            [
              apps.rotation,
              <span key="rotation">
                <Tag tone={ROTATION_TONES[app.rotation]}>{apps.rotationSteps[app.rotation]}</Tag>{' '}
                <span className="dim">{apps.rotations[app.rotation]}</span>
              </span>,
            ],
          ]}
        />
        <KeyTable pairs={app.keyPairs} />
      </div>
    </Card>
  );
}

function TimeTextOf({ at }: { at: number | null }) {
  const { apps } = useText();
  return (
    <>
      {apps.lastEvent}: <TimeText at={at} as="ago" />
    </>
  );
}

/** The service knows its path only; the address in front is remembered by this browser. */
function CallbackUrl({ path }: { path: string }) {
  const { apps, common } = useText();
  const [base, setBase] = useState(() => localStorage.getItem(KEPT_AS) ?? '');
  const id = useId();
  const url = `${base.trim().replace(/\/+$/, '')}${path}`;
  return (
    <div className="form">
      <div className="field">
        <label htmlFor={id}>{apps.urlBase}</label>
        <Input
          id={id}
          style={{ maxWidth: 420 }}
          value={base}
          placeholder="https://wecom.example.com"
          onChange={(event) => {
            setBase(event.target.value);
            localStorage.setItem(KEPT_AS, event.target.value);
          }}
        />
      </div>
      <div className="field">
        <span>{apps.url}</span>
        <div className="row">
          <code>{url}</code>
          <CopyButton text={url} label={`${common.copy}: ${apps.url}`} />
        </div>
        <span>{apps.urlHint}</span>
      </div>
    </div>
  );
}

function KeyTable({ pairs }: { pairs: readonly KeyPairView[] }) {
  const { apps } = useText();
  return (
    <DataTable<KeyPairView>
      label={apps.keys}
      rows={pairs}
      rowKey={({ pair }) => pair}
      columns={[
        { key: 'pair', title: apps.keys, cell: ({ pair }) => apps.pair[pair] },
        { key: 'token', title: apps.token, cell: ({ token }) => <code>{token}</code> },
        { key: 'key', title: apps.aesKey, cell: ({ encodingAesKey }) => <code>{encodingAesKey}</code> },
        {
          ...{ key: 'worked', title: `${apps.lastWorked} (${apps.lastWorkedOf})` },
          cell: ({ lastWorkedAt }) =>
            lastWorkedAt === null ? <span className="dim">{apps.notLately}</span> : <TimeText at={lastWorkedAt} />,
        },
      ]}
    />
  );
}
