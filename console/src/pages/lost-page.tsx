import { Link } from 'react-router';
import { useText } from '../i18n/language.js';
import { EmptyState } from '../parts/empty-state.js';
import { PageHead } from '../parts/page-head.js';

export function LostPage() {
  const { errors } = useText();
  return (
    <>
      <PageHead title={errors.pageTitle} />
      <EmptyState title={errors.pageTitle} hint={errors.pageHint}>
        <Link to="/">{errors.toOverview}</Link>
      </EmptyState>
    </>
  );
}
