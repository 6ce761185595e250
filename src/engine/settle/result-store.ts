import { Logger } from '@nestjs/common';
import { Batcher } from '../../platform/batcher.js';
import type { Clock } from '../../platform/clock.js';
import {
  isAboutData,
  isDatabaseAway,
  isDatabaseUnavailable,
  LockedRowsError,
} from '../../platform/database-error.js';
import { withoutAnswer } from '../../store/tables/trigger/attempt-content.js';
import { type AttemptResult, rowsOf } from './attempt-result.js';
import { DatabaseBehindError, type SettlementRepository } from './settlement.repository.js';

/** How long a result waits for others to share its commit; the slot of its attempt is already free. */
const LINGER_MS = 4;
/** The first and the longest pause between two tries to store results. */
const STORE_AGAIN_MS = 500;
const STORE_AGAIN_MAX_MS = 30_000;
/**
 * How often a result that fails for an unknown reason is tried in full, and how often one that is ahead of the database is tried
 * at all: for about half a minute.
 */
const WHOLE_TRIES = 7;
/** While it may pass at any moment, such as a lock or an outage, the pause stops growing after this many tries. */
const PASSING_TRIES = 3;
/** More failures in a row than a few results can cause: the database takes none of them. */
const MAX_IN_VAIN = 32;

/** These end in a result that is stripped or dropped, so each must have failed alone. */
const isOwnFault = (error: unknown) => isAboutData(error) || error instanceof DatabaseBehindError;

interface StoreOptions {
  maxItems: number;
  parallel: number;
}

/**
 * Stores the results of attempts in batches, each result until it is stored: if it were given up, a request that the receiver has
 * accepted would be sent again.
 *
 *   result ──in a batch──► stored                    while the database is away, the batch waits in its place
 *              │ any other error
 *              ▼
 *           set apart ──without those at fault──► stored
 *              ▲            │ alone
 *              └── pause ───┘                        it keeps no batch, slot or place that others need
 */
export class ResultStore {
  private readonly logger = new Logger('Delivery');
  private readonly results: Batcher<AttemptResult, undefined>;
  /** Results that a batch could not be stored with. */
  private readonly apart: Batcher<AttemptResult, undefined>;
  private stopped = false;

  constructor(
    private readonly repository: SettlementRepository,
    private readonly clock: Clock,
    { maxItems, parallel }: StoreOptions,
  ) {
    const store = (batch: AttemptResult[]) => this.store(batch);
    // The places for triggers are the bound, so no result is refused.
    const options = { maxItems, lingerMs: LINGER_MS, maxWaiting: Number.POSITIVE_INFINITY, keysOf: rowsOf };
    this.results = new Batcher(store, { ...options, parallel });
    const isAboutItem = () => !this.stopped;
    this.apart = new Batcher(store, { ...options, isAboutItem, isOwnFault, maxInVain: MAX_IN_VAIN });
  }

  /** Stops trying because the process is ending. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Resolves when the result is stored, however long that takes. A result that the database refuses is stored without the
   * receiver's answer.
   *
   * @param onApart called if it may take long, as this result is at fault.
   */
  keep(result: AttemptResult, onApart: () => void): Promise<void> {
    return this.results.add(result).catch((error: unknown) => this.keepApart(result, error, onApart));
  }

  /** @param failure why it was not stored with its batch. */
  private async keepApart(result: AttemptResult, failure: unknown, onApart: () => void): Promise<void> {
    let kept = result;
    const tries = { all: 0, whole: 0, ahead: 0 };
    for (;;) {
      try {
        if (tries.all === 0) throw failure;
        await this.apart.add(kept);
        return;
      } catch (error) {
        if (this.stopped) throw error;
        tries.all++;
        if (error instanceof DatabaseBehindError && ++tries.ahead >= WHOLE_TRIES) return this.drop(result);
        const mayPass = isDatabaseUnavailable(error);
        if (!mayPass) tries.whole++;
        // The first time it may be the fault of another one in its batch.
        const isAtFault = tries.all > 1 || error instanceof LockedRowsError;
        if (!isAtFault && isAboutData(error)) continue;
        if (isAtFault) onApart();
        const willNeverBe =
          isAtFault && kept === result && (isAboutData(error) || tries.whole === WHOLE_TRIES);
        if (willNeverBe) kept = withoutAnswer(result);
        this.log(result, error, tries.all);
        if (!willNeverBe) await this.pause(mayPass ? Math.min(tries.all, PASSING_TRIES) : tries.all);
      }
    }
  }

  private drop({ id }: AttemptResult): void {
    this.logger.warn(
      `The result of trigger ${id} is dropped: the database has lost that it was leased, and will have it sent again.`,
    );
  }

  /** Less and less often, as many rows may be locked for long. */
  private log({ id }: AttemptResult, error: unknown, tries: number): void {
    if ((tries & (tries - 1)) === 0 || !isDatabaseUnavailable(error))
      this.logger.error(`Could not store the result of trigger ${id} yet: ${(error as Error).message}`);
  }

  /** While the database is away the places of these triggers stay taken, so nothing piles up. */
  private async store(batch: AttemptResult[]): Promise<undefined[]> {
    for (let tries = 1; ; tries++) {
      try {
        await this.repository.settle(batch);
        return [];
      } catch (error) {
        if (this.stopped || !isDatabaseAway(error)) throw error;
        this.logger.error(
          `Could not store the results of ${batch.length} attempts yet: ${(error as Error).message}`,
        );
        await this.pause(Math.min(tries, PASSING_TRIES));
      }
    }
  }

  /** Doubles with each try, up to {@link STORE_AGAIN_MAX_MS}. */
  private pause(tries: number): Promise<void> {
    const ms = Math.min(STORE_AGAIN_MS * 2 ** (tries - 1), STORE_AGAIN_MAX_MS);
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }
}
