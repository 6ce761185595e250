import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Samples } from './report.js';

/** Counts by measure and database: of the first fast engine, and what is accepted today, which is only ever lowered. */
type Reference = Record<'3c02fec' | 'accepted', Record<string, number>>;

const FILE = fileURLToPath(new URL('../../../bench/reference.json', import.meta.url));

/**
 * How far a count may be over the accepted one. All of them follow timing a little, and claims, of which there are 15, go by
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
  accepted: number | undefined;
  result: '' | 'over';
}

/** Today's counts beside the reference: all that one of them names. What happens beside a run may add to a count, so the least is judged. */
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
        accepted,
        result: isOver ? 'over' : '',
      },
    ];
  });
}
