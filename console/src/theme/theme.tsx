import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';

export type ThemeChoice = 'system' | 'light' | 'dark';
export type ThemeName = 'light' | 'dark';

const KEPT_AS = 'console.theme';
const DARK = '(prefers-color-scheme: dark)';

interface Theme {
  readonly choice: ThemeChoice;
  readonly name: ThemeName;
  readonly choose: (choice: ThemeChoice) => void;
}

const ThemeContext = createContext<Theme | null>(null);

export function useTheme(): Theme {
  const theme = useContext(ThemeContext);
  if (!theme) throw new Error('used outside of ThemeProvider');
  return theme;
}

/** The system's theme until somebody chooses another one, which this browser then keeps. */
export function ThemeProvider({ children }: { children: ReactNode }) {
  const [choice, setChoice] = useState<ThemeChoice>(keptChoice);
  const [isSystemDark, setSystemDark] = useState(() => window.matchMedia(DARK).matches);
  useEffect(() => {
    const media = window.matchMedia(DARK);
    const changed = (): void => setSystemDark(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  const name = choice === 'system' ? (isSystemDark ? 'dark' : 'light') : choice;
  useEffect(() => {
    document.documentElement.dataset['theme'] = name;
  }, [name]);
  const theme = useMemo<Theme>(
    () => ({
      ...{ choice, name },
      choose: (chosen) => {
        localStorage.setItem(KEPT_AS, chosen);
        setChoice(chosen);
      },
    }),
    [choice, name],
  );
  return <ThemeContext.Provider value={theme}>{children}</ThemeContext.Provider>;
}

function keptChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEPT_AS);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
