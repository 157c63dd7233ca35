import { Button } from 'antd';
import { useState } from 'react';
import { usePayload } from '../../api/events.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/copy-button.js';
import { LoadState } from '../../parts/load-state.js';
import { useUser } from '../../session/session.js';

/** Closed until somebody wants to see it: it is what other people said. */
export function PayloadCard({ id }: { id: number }) {
  const { event: texts, needs, common } = useText();
  const { permissions } = useUser();
  const [isOpen, setOpen] = useState(false);
  const query = usePayload(id, isOpen);
  const plaintext = query.data ?? '';
  if (!permissions.includes('payload')) {
    return (
      <Card title={texts.payload}>
        <p className="dim">{needs.payload}</p>
      </Card>
    );
  }
  return (
    <Card
      title={texts.payload}
      right={
        <>
          {plaintext !== '' && <CopyButton text={plaintext} label={`${common.copy}: ${texts.payload}`} />}
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? texts.payloadHide : texts.payloadShow}
          </Button>
        </>
      }
    >
      {isOpen ? (
        <LoadState query={query}>
          {(loaded) => (
            <pre className="payload" tabIndex={0} role="region" aria-label={texts.payload}>
              {loaded === null || loaded === '' ? texts.payloadNone : loaded}
            </pre>
          )}
        </LoadState>
      ) : (
        <p className="dim">{texts.payloadHidden}</p>
      )}
    </Card>
  );
}
