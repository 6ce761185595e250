import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Samples } from './report.js';

/**
 * Counts by measure and database, medians of three: of the first fast engine, of the state before the engine's parts got one
 * owner each, and of what is accepted today, which is only ever lowered. Accepted is what a machine with twice the load needs,
 * as results that wait for each other share a commit, and those of a slow process are fewer.
 */
type Reference = Record<'3c02fec' | 'before' | 'accepted', Record<string, number>>;

const FILE = fileURLToPath(new URL('../../../bench/reference.json', import.meta.url));

/**
 * How far a count may be over the accepted one. All of them follow timing somewhat, and claims, of which there are 16, go by
 * whole ones.
 */
const TOLERANCES: [pattern: RegExp, share: number][] = [
  [/-(statements|commits|messages)@/, 0.1],
  [/-claims@/, 0.25],
  [/-(collections|allocated)@/, 0.15],
];

export interface Compared {
  measure: string;
  now: number;
  '3c02fec': number | undefined;
  before: number | undefined;
  accepted: number | undefined;
  result: '' | 'over';
}

/** Today's counts beside the reference: all that one of them names. A busy machine adds to a count, so the least is judged. */
export function compared(samples: Samples): Compared[] {
  const reference = JSON.parse(readFileSync(FILE, 'utf8')) as Reference;
  const names = new Set(Object.values(reference).flatMap((counts) => Object.keys(counts)));
  return [...names].flatMap((measure) => {
    const now = samples.median(measure);
    if (Number.isNaN(now)) return [];
    const accepted = reference.accepted[measure];
    const tolerance = TOLERANCES.find(([pattern]) => pattern.test(measure))?.[1];
    const isOver =
      accepted !== undefined &&
      tolerance !== undefined &&
      samples.least(measure) > accepted * (1 + tolerance);
    return [
      {
        measure,
        now,
        '3c02fec': reference['3c02fec'][measure],
        before: reference.before[measure],
        accepted,
        result: isOver ? 'over' : '',
      },
    ];
  });
}
