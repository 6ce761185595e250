import type { AttemptResult } from './attempt-result.js';

/**
 * The database knows a trigger not at all, or only as it was before it was leased for the attempt: it is another node by now,
 * which has not applied everything yet, or which has lost something.
 */
export class DatabaseBehindError extends Error {
  constructor() {
    super('The database is behind: it does not know yet that the trigger was leased.');
  }
}

/** Stores the results of attempts; there is one class for each dialect. */
export abstract class SettlementRepository {
  /**
   * Stores, in one transaction, the results whose leases are still held; the others change nothing. A trigger that would
   * wait for another attempt is cancelled if its webhook or subscription has been switched off meanwhile.
   *
   * @throws DatabaseBehindError if one of them comes before what led to it; LockedRowsError if others have locked some of their
   * rows
   */
  abstract settle(results: AttemptResult[]): Promise<void>;
}
