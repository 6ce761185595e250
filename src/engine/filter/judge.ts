import type { CompiledFilter } from './conditions.js';
import type { Unmatched } from './filter.js';
import { Budget, Findings } from './values.js';

/** Values that one filter may examine in one record; some milliseconds. */
const OF_A_FILTER = 40_000;
/** Values that all the filters of a user's webhooks may examine in one record. */
const OF_A_RECORD = 200_000;

/** Judges one record by one filter after the other. */
export class RecordJudge {
  private left = OF_A_RECORD;
  private readonly findings = new Findings();

  /** @param data of `parseMarked`. */
  constructor(private readonly data: unknown) {}

  /** @returns null as well if the record is too large to be judged by it: rather too much is sent than something lost. */
  unmatched(filter: CompiledFilter): Unmatched {
    const budget = new Budget(Math.min(OF_A_FILTER, this.left), this.findings);
    const unmatched = filter(this.data, budget);
    this.left -= budget.spent;
    return budget.isExceeded ? null : unmatched;
  }
}
