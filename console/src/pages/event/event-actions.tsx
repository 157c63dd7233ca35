import { useState } from 'react';
import type { Action, EventView } from '../../api/views.js';
import { useText } from '../../i18n/language.js';
import { GuardedButton } from '../../parts/guarded-button.js';
import { ActNowDialog } from './act-now-dialog.js';

const WAITING = new Set(['DEAD', 'RETRY', 'PARKED', 'REDRIVEN']);

export function EventActions({ event }: { event: EventView }) {
  const { event: texts } = useText();
  const [action, setAction] = useState<Action | null>(null);
  const redriveBlock =
    event.status === 'DEAD' ? undefined : WAITING.has(event.status) ? texts.onlyDead : texts.onlyWaiting;
  return (
    <>
      <GuardedButton role="operator" type="primary" blocked={redriveBlock} onClick={() => setAction('redrive')}>
        {texts.redrive}
      </GuardedButton>
      <GuardedButton
        role="operator"
        danger
        blocked={WAITING.has(event.status) ? undefined : texts.onlyWaiting}
        onClick={() => setAction('discard')}
      >
        {texts.discard}
      </GuardedButton>
      {action && <ActNowDialog action={action} event={event} onClose={() => setAction(null)} />}
    </>
  );
}
