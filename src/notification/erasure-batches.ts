import { partsOf } from './parts.js';

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
export const batchesOf = (all: Erasable[]): Erasable[][] => partsOf(all, costOf, MAX_COST);
