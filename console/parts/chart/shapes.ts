/** `area` and `line` join the values, `bars` count what fell into each step. */
export type ChartKind = 'line' | 'area' | 'bars';

export interface ChartSeries {
  label: string;
  /** Its colour, by what it means. */
  tone: 'good' | 'bad' | 'warn' | 'wait' | 'muted' | 'accent';
  /** @default line */
  kind?: ChartKind;
  values: readonly (number | null)[];
}

/** From where to where a series reaches in each step; null where there is no value. */
export type Reach = readonly (readonly [from: number, to: number] | null)[];

/** Puts the series on top of each other, the first one highest, or each on the floor. */
export function reaches(series: readonly (readonly (number | null)[])[], stacked: boolean): Reach[] {
  const floor: number[] = [];
  return series
    .toReversed()
    .map((values) =>
      values.map((value, index) => {
        if (value === null) return null;
        const from = stacked ? (floor[index] ?? 0) : 0;
        floor[index] = from + value;
        return [from, from + value] as const;
      }),
    )
    .reverse();
}

const BAR_SHARE = 0.8;
const WIDEST_BAR = 40;
/** So that a single failure among thousands is seen. */
const LEAST_HEIGHT = 1.5;

const exact = (value: number): number => Math.round(value * 100) / 100;

/** @param x where the middle of a step is; @param y where a value is. */
export function barsPath(
  reach: Reach,
  x: (index: number) => number,
  y: (value: number) => number,
  slot: number,
): string {
  const width = Math.max(1, Math.min(WIDEST_BAR, slot * BAR_SHARE));
  return reach
    .map((one, index) => {
      if (!one || one[0] === one[1]) return '';
      const height = Math.max(LEAST_HEIGHT, y(one[0]) - y(one[1]));
      return `M${exact(x(index) - width / 2)} ${exact(y(one[0]))}h${exact(width)}v${exact(-height)}h${exact(-width)}z`;
    })
    .join('');
}

/** The upper edge. Where a value is missing the line is interrupted; one that stands alone is a dot. */
export function linePath(reach: Reach, x: (index: number) => number, y: (value: number) => number): string {
  return reach
    .map((one, index) => {
      if (!one) return '';
      const at = `${exact(x(index))} ${exact(y(one[1]))}`;
      return reach[index - 1] ? `L${at}` : `M${at}h0`;
    })
    .join('');
}

/** What lies below the line, down to what it stands on. */
export function areaPath(reach: Reach, x: (index: number) => number, y: (value: number) => number): string {
  let path = '';
  for (let index = 0; index < reach.length; index += 1) {
    if (!reach[index]) continue;
    const begin = index;
    while (reach[index + 1]) index += 1;
    const run = reach.slice(begin, index + 1) as (readonly [number, number])[];
    const upper = run.map(([, to], step) => `${exact(x(begin + step))} ${exact(y(to))}`);
    const lower = run.map(([from], step) => `${exact(x(begin + step))} ${exact(y(from))}`).reverse();
    path += `M${[...upper, ...lower].join('L')}z`;
  }
  return path;
}
