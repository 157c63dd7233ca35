import { Button } from 'antd';
import { useRouteError } from 'react-router';
import { useText } from '../i18n/language.js';
import { EmptyState } from '../parts/empty-state.js';

/** Instead of a page whose own code failed. */
export function FailedPage() {
  const { errors } = useText();
  const error = useRouteError();
  return (
    <EmptyState title={errors.broken} hint={errors.brokenHint}>
      <code>{error instanceof Error ? error.message : String(error)}</code>
      <Button onClick={() => window.location.reload()}>{errors.reload}</Button>
    </EmptyState>
  );
}
