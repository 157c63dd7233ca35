import { Alert } from 'antd';
import { Link } from 'react-router';
import { useHandlers } from '../../api/handlers.js';
import { useText } from '../../i18n/language.js';

/** A handler that somebody paused and forgot holds up events for ever. Nothing while none is paused, or it is not known. */
export function PausedBanner() {
  const { handlers } = useText();
  const paused = useHandlers().data?.paused ?? [];
  if (paused.length === 0) return null;
  const names = paused.map(({ handler }) => handler).join(', ');
  return (
    <Alert
      type="warning"
      showIcon
      title={handlers.banner(names)}
      action={<Link to="/handlers">{handlers.toHandlers}</Link>}
    />
  );
}
