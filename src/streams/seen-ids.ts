import type { IdSpan } from '../engine/changes/change.repository.js';

/** More are examined as one span, in which some ids were seen already. */
const MAX_SPANS = 50;

interface Gap {
  from: number;
  to: number;
  /** When it was found. */
  at: number;
}

/**
 * Which ids of the changes have been seen. The database gives out ids before their transactions commit, so a change may appear
 * behind one with a higher id: the ids that are missing in between are looked out for until no transaction can be that old.
 */
export class SeenIds {
  /** In ascending order. */
  private gaps: Gap[] = [];

  /** @param newest the id up to which all counts as seen. */
  constructor(private max: number) {}

  /** The highest id that was seen. */
  get newest(): number {
    return this.max;
  }

  /** The id up to which nothing is missing. */
  get complete(): number {
    return this.gaps[0] ? this.gaps[0].from - 1 : this.max;
  }

  /** What to look out for besides higher ids. */
  get missing(): IdSpan[] {
    const [first, last] = [this.gaps[0], this.gaps.at(-1)];
    if (!first || !last) return [];
    if (this.gaps.length > MAX_SPANS) return [[first.from, last.to]];
    return this.gaps.map(({ from, to }) => [from, to]);
  }

  /** @returns false if it was seen before. */
  see(id: number, now: number): boolean {
    if (id > this.max) {
      if (id > this.max + 1) this.gaps.push({ from: this.max + 1, to: id - 1, at: now });
      this.max = id;
      return true;
    }
    const index = this.gapOf(id);
    const gap = this.gaps[index];
    if (!gap || id < gap.from) return false;
    const rest = [
      { ...gap, to: id - 1 },
      { ...gap, from: id + 1 },
    ].filter(({ from, to }) => from <= to);
    this.gaps.splice(index, 1, ...rest);
    return true;
  }

  /** Gives up ids that have been missing since before this time: their transactions were rolled back. */
  giveUp(before: number): void {
    const open = this.gaps.findIndex(({ at }) => at >= before);
    this.gaps = open < 0 ? [] : this.gaps.slice(open);
  }

  /** The first gap that ends at an id or behind it. */
  private gapOf(id: number): number {
    let low = 0;
    let high = this.gaps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.gaps[middle] as Gap).to < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
