import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Samples } from './report.js';

/** Counts by measure and database: of the first fast engine, and of what is accepted today, which is only ever lowered. */
type Reference = Record<'3c02fec' | 'accepted', Record<string, number>>;

const FILE = fileURLToPath(new URL('../../../bench/reference.json', import.meta.url));

/** How far a count may be over the accepted one. What follows from statements is exact, the sizes of batches follow timing. */
const TOLERANCES: [pattern: RegExp, share: number][] = [
  [/-(statements|commits|messages)@/, 0.05],
  [/-claims@/, 0.1],
  [/-(collections|allocated)@/, 0.15],
];

export interface Compared {
  measure: string;
  now: number;
  '3c02fec': number | undefined;
  accepted: number | undefined;
  result: '' | 'over';
}

/** Today's counts beside the reference: all that one of them names. */
export function compared(samples: Samples): Compared[] {
  const reference = JSON.parse(readFileSync(FILE, 'utf8')) as Reference;
  const names = new Set(Object.values(reference).flatMap((counts) => Object.keys(counts)));
  return [...names].flatMap((measure) => {
    const now = samples.median(measure);
    if (Number.isNaN(now)) return [];
    const accepted = reference.accepted[measure];
    const tolerance = TOLERANCES.find(([pattern]) => pattern.test(measure))?.[1];
    const isOver = accepted !== undefined && tolerance !== undefined && now > accepted * (1 + tolerance);
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
