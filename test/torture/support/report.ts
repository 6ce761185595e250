import { writeSync } from 'node:fs';

/** Prints a test's report line: its row and the figures. */
export function report(row: string, figures: Record<string, number | string>): void {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  writeSync(1, `torture | ${row} | ${shown.join(', ')}\n`);
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
