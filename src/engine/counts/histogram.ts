/** How far a bucket's value may be from what it counts. Whole numbers, so that 5 % is 5 % on every machine. */
const PERCENT = 5;
/** A day. No attempt takes that long; a longer duration counts as this. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * How often something took about so many milliseconds: counts by the value of their bucket. Histograms are merged by adding
 * the counts. Since the keys are milliseconds and no numbers of buckets, the buckets may be changed without a migration.
 */
export type Histogram = Record<string, number>;

/** The last duration of each bucket, and the value it is counted under. Up to 18 ms each duration has its own bucket. */
const TOPS: number[] = [];
const VALUES: number[] = [];
for (let first = 0; first <= LONGEST_MS; ) {
  const value = Math.floor((first * (100 + PERCENT)) / 100);
  const top = Math.floor((value * 100) / (100 - PERCENT));
  TOPS.push(top);
  VALUES.push(value);
  first = top + 1;
}

/** The value under which a duration is counted: within 5 % of it, and the duration itself up to 18 ms. */
export function bucketOf(ms: number): number {
  const wanted = Math.min(Math.max(ms, 0), LONGEST_MS);
  let low = 0;
  for (let high = TOPS.length - 1; low < high; ) {
    const middle = (low + high) >> 1;
    if ((TOPS[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return VALUES[low] as number;
}

/**
 * For each share, the duration that at least this share of them did not exceed, within 5 %. Null if nothing was counted.
 *
 * @param shares from 0 to 1, ascending.
 */
export function percentiles(histogram: Histogram, shares: number[]): (number | null)[] {
  // Names that are whole numbers come in ascending order (ECMA-262, OrdinaryOwnPropertyKeys).
  const buckets = Object.keys(histogram);
  let all = 0;
  for (const value of buckets) all += histogram[value] as number;
  let at = 0;
  const countAt = () => histogram[buckets[at] as string] ?? 0;
  let passed = countAt();
  return shares.map((share) => {
    const rank = Math.max(1, Math.ceil(share * all));
    while (passed < rank && at < buckets.length - 1) {
      at++;
      passed += countAt();
    }
    return buckets.length === 0 ? null : Number(buckets[at]);
  });
}
