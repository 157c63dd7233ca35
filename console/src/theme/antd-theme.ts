import { theme, type ThemeConfig } from 'antd';
import type { ThemeName } from './theme.js';

// The colours of theme/colours.css: antd computes shades, so it needs the values themselves.
const COLOURS = {
  light: {
    primary: '#155e75',
    text: '#14212b',
    dim: '#4d5d6a',
    canvas: '#f4f6f7',
    surface: '#ffffff',
    line: '#d5dde2',
  },
  dark: { primary: '#67c6e3', text: '#e4ecf1', dim: '#a3b4c0', canvas: '#0e151a', surface: '#162028', line: '#2b3944' },
} as const;

export function antdTheme(name: ThemeName): ThemeConfig {
  const colours = COLOURS[name];
  return {
    algorithm: name === 'dark' ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      ...{ colorPrimary: colours.primary, colorLink: colours.primary, colorInfo: colours.primary },
      ...{ colorText: colours.text, colorTextSecondary: colours.dim, colorTextDescription: colours.dim },
      ...{ colorTextPlaceholder: colours.dim, colorTextTertiary: colours.dim },
      ...{ colorBgLayout: colours.canvas, colorBgContainer: colours.surface, colorBorder: colours.line },
      colorError: name === 'dark' ? '#ff9d8f' : '#b42318',
      ...{ fontFamily: 'var(--font-text)', fontFamilyCode: 'var(--font-code)' },
      // Nothing moves: who works here wants to see what there is, and some people cannot bear motion at all.
      ...{ borderRadius: 6, controlHeight: 34, motion: false },
    },
    components: {
      // White on the dark theme's primary would be too faint to read.
      Button: {
        primaryColor: name === 'dark' ? '#06222c' : '#ffffff',
        dangerColor: name === 'dark' ? '#2b0804' : '#ffffff',
        ...{ primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none' },
      },
    },
  };
}
