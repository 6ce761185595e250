import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEPT = 'theme';

const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark';
const kept = localStorage.getItem(KEPT);

/** Which colours somebody wants. */
export const theme = signal<Theme>(isTheme(kept) ? kept : 'system');

effect(() => {
  const { value } = theme;
  localStorage.setItem(KEPT, value);
  if (value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
});
