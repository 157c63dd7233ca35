import { Button, Skeleton } from 'antd';
import type { ReactNode } from 'react';
import { ApiError, UnreachableError } from '../api/client.js';
import type { Text } from '../i18n/en.js';
import { useText } from '../i18n/language.js';

interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  refetch(): unknown;
}

interface Props<Data> {
  readonly query: Query<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** Loading, failed, or there. What was loaded before stays while a later look fails, with a note that it is old. */
export function LoadState<Data>({ query, children }: Props<Data>) {
  const { common } = useText();
  const { data, error, isPending } = query;
  if (data !== undefined) {
    return (
      <>
        {error !== null && <ErrorNote error={error} onRetry={() => void query.refetch()} />}
        {children(data)}
      </>
    );
  }
  if (isPending) {
    return (
      <div role="status" aria-label={common.loading}>
        <Skeleton active paragraph={{ rows: 4 }} />
      </div>
    );
  }
  return <ErrorNote error={error} onRetry={() => void query.refetch()} />;
}

export function ErrorNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const text = useText();
  return (
    <div className="state" role="alert">
      <strong>{text.errors.title}</strong>
      <p>{errorText(error, text)}</p>
      {onRetry && <Button onClick={onRetry}>{text.common.retry}</Button>}
    </div>
  );
}

/** What went wrong and what to do about it. */
export function errorText(error: unknown, { errors }: Text): string {
  if (error instanceof UnreachableError) return errors.unreachable;
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 403) return errors.forbidden;
  if (error.status === 404) return errors.notFound;
  return errors.other(error.status, error.message);
}
