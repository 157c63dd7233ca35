import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { en, type Text } from './en.js';
import { zhCn } from './zh-cn.js';

export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

const TEXTS: Readonly<Record<Language, Text>> = { en, 'zh-CN': zhCn };
const KEPT_AS = 'console.language';

interface LanguageChoice {
  readonly language: Language;
  readonly text: Text;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice | null>(null);

export function useLanguage(): LanguageChoice {
  const language = useContext(LanguageContext);
  if (!language) throw new Error('used outside of LanguageProvider');
  return language;
}

/** What the console says, in the language that is chosen. */
export function useText(): Text {
  return useLanguage().text;
}

/** The browser's language until somebody chooses another one, which this browser then keeps. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(
    () => known(localStorage.getItem(KEPT_AS)) ?? preferred(navigator.languages),
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo<LanguageChoice>(
    () => ({
      ...{ language, text: TEXTS[language] },
      choose: (chosen) => {
        localStorage.setItem(KEPT_AS, chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <LanguageContext.Provider value={choice}>{children}</LanguageContext.Provider>;
}

function known(text: string | null): Language | null {
  return text !== null && Object.hasOwn(LANGUAGES, text) ? (text as Language) : null;
}

/** The first of the browser's languages that there is a dictionary for; English for all others. */
export function preferred(languages: readonly string[]): Language {
  for (const one of languages) {
    const name = one.toLowerCase();
    if (name === 'zh' || name.startsWith('zh-')) return 'zh-CN';
    if (name === 'en' || name.startsWith('en-')) return 'en';
  }
  return 'en';
}
