import { useEffect, type ReactNode } from 'react';
import { useText } from '../i18n/language.js';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
}

/** The page's heading; it names the browser's tab as well. */
export function PageHead({ title, intro, actions }: Props) {
  const { product } = useText();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="page-head">
      <div>
        <h1>{title}</h1>
        {intro !== undefined && <p>{intro}</p>}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  );
}
