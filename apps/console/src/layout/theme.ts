import { createTheme, type MantineColorScheme } from '@mantine/core';
import { useSyncExternalStore } from 'react';

/** The colours and sizes of the console. All contrasts meet WCAG AA in both themes. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
});

export type Theme = 'light' | 'dark';

const key = 'portico.theme';
const darkPreference = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

const readStoredTheme = (): Theme | null => {
  const value = window.localStorage.getItem(key);
  return value === 'light' || value === 'dark' ? value : null;
};

/** Returns the theme that the user chose in this browser, or else the system's preference. */
export const getCurrentTheme = (): Theme => readStoredTheme() ?? (darkPreference.matches ? 'dark' : 'light');

/** Sets the attribute that the style sheets read. */
export const applyTheme = (): void => {
  document.documentElement.setAttribute('data-mantine-color-scheme', getCurrentTheme() satisfies MantineColorScheme);
  listeners.forEach((listener) => listener());
};

export const chooseTheme = (newTheme: Theme): void => {
  window.localStorage.setItem(key, newTheme);
  applyTheme();
};

darkPreference.addEventListener('change', applyTheme);

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, getCurrentTheme);
