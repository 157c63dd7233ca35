import { useEffect, type ReactNode } from 'react';
import { useText } from '../../i18n/language.js';
import { LanguageMenu, ThemeMenu } from '../../layout/top-bar.js';
import './outside.css';

/** Around pages that need no session. */
export function Outside({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  const { product } = useText();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className="outside">
      <main className="card form">
        <div className="row row-apart">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width={36} height={36} />
          <span className="row">
            <LanguageMenu />
            <ThemeMenu />
          </span>
        </div>
        <div>
          <p className="dim">{product}</p>
          <h1>{title}</h1>
          <p className="dim">{intro}</p>
        </div>
        {children}
      </main>
    </div>
  );
}
