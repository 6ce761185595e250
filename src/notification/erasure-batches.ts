/** A notification to erase, and what hangs on it. */
export interface Erasable {
  id: string;
  /** The size of its body. */
  bytes: number;
  triggers: number;
  attempts: number;
}

/** What one transaction may change: it bounds how long others wait for it. */
export const MAX_COST = 500;
/** Bytes that cost as much as a row. */
const BYTES_PER_ROW = 4096;

/** Rows to change. An answer that was kept with an attempt counts like a further row. */
export const costOf = ({ bytes, triggers, attempts }: Erasable): number =>
  1 + triggers + 2 * attempts + Math.floor(bytes / BYTES_PER_ROW);

/** Cuts a list into batches that cost at most {@link MAX_COST} each, or hold a single notification. */
export function batchesOf(all: Erasable[]): Erasable[][] {
  const batches: Erasable[][] = [];
  let left = 0;
  for (const one of all) {
    const cost = costOf(one);
    const last = batches.at(-1);
    if (last && cost <= left) last.push(one);
    else {
      batches.push([one]);
      left = MAX_COST;
    }
    left -= cost;
  }
  return batches;
}
