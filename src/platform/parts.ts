import { LockedRowsError } from './database-error.js';

export interface PartsOptions<T> {
  /** Whether an error is due to an item, so that the others should run without it. */
  isAboutItem(error: unknown): boolean;
  /** Whether an error is certainly due to an item, so that any number of them says nothing of the others. @default never */
  isOwnFault?: (error: unknown) => boolean;
  /** The keys of the rows that an item writes or locks, as a {@link LockedRowsError} names them. @default none */
  keysOf?: (item: T) => string[];
  /** After how many other failures in a row what is left is not halved any further: all of it may fail. @default never */
  maxInVain?: number;
}

/** Items that failed together, or one that failed alone. */
export interface Failed<T> {
  items: T[];
  error: unknown;
}

/**
 * Runs a batch, and if it fails, runs it without the items at fault: without those whose rows somebody else has locked, if that is
 * known, otherwise in halves until what fails stands alone.
 *
 * @returns what failed.
 */
export async function runInParts<T>(
  batch: T[],
  run: (items: T[]) => Promise<void>,
  options: PartsOptions<T>,
): Promise<Failed<T>[]> {
  const failed: Failed<T>[] = [];
  const parts = [batch];
  let inVain = 0;
  for (let part = parts.pop(); part; part = parts.pop()) {
    try {
      await run(part);
      inVain = 0;
    } catch (error) {
      if (!options.isOwnFault?.(error)) inVain++;
      const { locked, free } = byLock(part, error, options);
      if (locked.length > 0) {
        failed.push({ items: locked, error });
        if (free.length > 0) parts.push(free);
      } else if (
        part.length > 1 &&
        (inVain < (options.maxInVain ?? inVain + 1) || options.isOwnFault?.(error)) &&
        options.isAboutItem(error)
      ) {
        const half = Math.ceil(part.length / 2);
        parts.push(part.slice(half), part.slice(0, half));
      } else failed.push({ items: part, error });
    }
  }
  return failed;
}

function byLock<T>(part: T[], error: unknown, { keysOf }: PartsOptions<T>): { locked: T[]; free: T[] } {
  if (!keysOf || !(error instanceof LockedRowsError)) return { locked: [], free: part };
  const isLocked = (item: T) => keysOf(item).some((key) => error.keys.has(key));
  return { locked: part.filter(isLocked), free: part.filter((item) => !isLocked(item)) };
}
