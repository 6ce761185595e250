import type { AttemptResult } from './attempt-result.js';

/** Stores the results of attempts; there is one class for each dialect. */
export abstract class SettlementRepository {
  /**
   * Stores, in one transaction, the results whose leases are still held; the others change nothing. A trigger that would
   * wait for another attempt is cancelled if its webhook or subscription has been switched off meanwhile.
   */
  abstract settle(results: AttemptResult[]): Promise<void>;
}
