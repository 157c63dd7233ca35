import { Button } from 'antd';
import { useText } from '../i18n/language.js';

interface Query {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

export function MoreButton({ query }: { query: Query }) {
  const { common } = useText();
  if (!query.hasNextPage) return null;
  return (
    <div className="row" style={{ justifyContent: 'center', paddingTop: 12 }}>
      <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {common.more}
      </Button>
    </div>
  );
}
