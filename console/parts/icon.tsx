/** Strokes on a grid of 16. */
const PATHS = {
  overview: 'M2 13.5h12M4 11V7m4 4V3m4 8V6',
  webhook:
    'M6 5.5a2.5 2.5 0 1 1 3.5 2.300L7 12m-1.5-4.5L3.5 11m0 0a2 2 0 1 0 2 2h5m0 0a2 2 0 1 0 .5-1.5M10 6l2 4',
  delivery: 'M14 2 7 9m7-7-4.5 12L7 9 2 6.5 14 2Z',
  notification: 'M4 7a4 4 0 0 1 8 0c0 3.5 1.5 4.5 1.5 4.5h-11S4 10.5 4 7Zm2.5 7h3',
  kind: 'M2 2.5h5l7 7-4.5 4.5-7.5-7.5v-4Zm3 3h.01',
  key: 'M9 7 14 2m-2 2 2 2M9.5 9.5a3.5 3.5 0 1 1-3-3 3.5 3.5 0 0 1 3 3Z',
  health: 'M1.5 8h3l2-5 3 10 2-5h3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.5-1.5L14 14',
  plus: 'M8 3v10M3 8h10',
  check: 'm3 8.5 3.5 3.5L13 4.5',
  cross: 'm4 4 8 8m0-8-8 8',
  warning: 'M8 2 1.5 13.5h13L8 2Zm0 4.5v3.5m0 2h.01',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-6.5V11m0-6h.01',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-9v3l2 1.5',
  dash: 'M4 8h8',
  pause: 'M5.5 3.5v9m5-9v9',
  play: 'M5 3v10l8-5-8-5Z',
  again: 'M13.5 3v3.5H10M13 6.5A5.5 5.5 0 1 0 13.5 9',
  copy: 'M5.5 5.5v-3h8v8h-3m-8-5h8v8h-8v-8Z',
  down: 'm4 6 4 4 4-4',
  up: 'm4 10 4-4 4 4',
  left: 'm10 4-4 4 4 4',
  right: 'm6 4 4 4-4 4',
  menu: 'M2 4h12M2 8h12M2 12h12',
  eye: 'M1 8s2.5-4.5 7-4.5S15 8 15 8s-2.5 4.5-7 4.5S1 8 1 8Zm7 1.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  person: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 14a5 5 0 0 1 10 0',
  leave: 'M6 2.5H3v11h3m4-8L13 8l-3 2.5M13 8H6',
  sun: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 1v1.5m0 11V15M1 8h1.5m11 0H15M3 3l1 1m8 8 1 1M3 13l1-1m8-8 1-1',
  moon: 'M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z',
  screen: 'M2 3h12v8H2V3Zm4 11h4',
  trash: 'M2.5 4h11M6 4V2.5h4V4m-6 0 .5 9.5h7L12 4',
  table: 'M2 3h12v10H2V3Zm0 3.5h12M6 6.5V13',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: what it means is said beside it, or by the label of its button. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
