const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const count = (value: number): string => number.format(value);

/** `1 webhook`, `2 webhooks`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Of an attempt: `38 ms`, `1.2 s`. */
export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return value < 1000 ? `${Math.round(value)} ms` : `${number.format(value / 1000)} s`;
}

/** `99.8 %`, and never 100 % where something failed. */
export function share(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (part / whole) * 100;
  const shown = part === whole ? 100 : Math.min(99.9, Math.round(percent * 10) / 10);
  return `${number.format(shown)} %`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units: `2 h 5 min`, `30 s`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  if (first === -1) return seconds > 0 && seconds < 1 ? `${number.format(seconds)} s` : '0 s';
  let rest = whole;
  return UNITS.slice(first, first + 2)
    .map(([unit, size]) => {
      const value = Math.floor(rest / size);
      rest %= size;
      return value === 0 ? '' : `${value} ${unit}`;
    })
    .filter(Boolean)
    .join(' ');
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  return value < 1024 ** 2 ? `${number.format(value / 1024)} KiB` : `${number.format(value / 1024 ** 2)} MiB`;
}

/** `ANALYSIS_FINISHED` as words: `Analysis finished`. */
export function words(name: string): string {
  const text = name.toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
