/** Random choices that a seed repeats (mulberry32). */
export class Random {
  constructor(private seed: number) {}

  /** From 0 to 1, without 1. */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  of<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T;
  }
}

/** `part` as often as it fits into this length. */
export const repeatedTo = (length: number, part: string): string =>
  part.repeat(Math.max(0, Math.floor(length / part.length)));
