import type { Clock } from '../../platform/clock.js';

/** Scrapes within this time of each other share one read of the database. */
const FRESH_MS = 5000;

/** Figures read from the database for several gauges. */
export class SharedRead<T> {
  private last: { figures: Promise<T | null>; at: number } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly read: () => Promise<T>,
  ) {}

  /** One of the figures; not a number if the database does not answer, as the other metrics matter most then. */
  async figure(of: (figures: T) => number): Promise<number> {
    const at = this.clock.monotonic();
    if (!this.last || at - this.last.at >= FRESH_MS) {
      this.last = { figures: this.read().catch(() => null), at };
    }
    const figures = await this.last.figures;
    return figures === null ? Number.NaN : of(figures);
  }
}
