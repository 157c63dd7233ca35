import { Button } from 'antd';
import { useState } from 'react';
import type { EventDetailView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { Card } from '../../parts/card.js';
import { CopyButton } from '../../parts/copy-button.js';
import { useUser } from '../../session/session.js';

/** Closed until somebody wants to see it: it is what other people said. */
export function PayloadCard({ event }: { event: EventDetailView }) {
  const { event: texts, needs, common } = useText();
  const { permissions } = useUser();
  const [isOpen, setOpen] = useState(false);
  const { plaintext } = event;
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
          {isOpen && <CopyButton text={plaintext} label={`${common.copy}: ${texts.payload}`} />}
          <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? texts.payloadHide : texts.payloadShow}
          </Button>
        </>
      }
    >
      {isOpen ? (
        <pre className="payload" tabIndex={0} aria-label={texts.payload}>
          {plaintext === '' ? texts.payloadNone : plaintext}
        </pre>
      ) : (
        <p className="dim">{texts.payloadHidden}</p>
      )}
    </Card>
  );
}
