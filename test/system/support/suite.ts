import { writeSync } from 'node:fs';
import type { TestDatabaseKind } from '../../support/databases.js';

/** For the suites that take long. `SUITE=short` is the form that `.ci/full` runs. */
const isShort = process.env.SUITE === 'short';

/** Returns the first value in the full suite, the second in the short form. */
export const whole = <T>(long: T, short: T): T => (isShort ? short : long);

/** For what depends little on the database: the short form tries one. */
export const someOf = (databases: TestDatabaseKind[]) => whole(databases, databases.slice(-1));

/** Prints a test's report line: what was done, and the figures. */
export function report(row: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  writeSync(1, `measured | ${row} | ${shown.join(', ')}\n`);
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
