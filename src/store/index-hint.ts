import type { Dialect } from './columns.js';

/** SQL behind a table's name: the index to use. The optimiser might otherwise choose another one, and read or lock more. */
export function indexHint(dialect: Dialect, index: string): string {
  if (dialect === 'mysql') return `FORCE INDEX (${index})`;
  return index === 'PRIMARY' ? '' : `INDEXED BY ${index}`;
}
