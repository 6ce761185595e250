import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { outsideOfContexts } from '../platform/contexts.js';
import { isDatabaseUnavailable } from '../platform/database-error.js';
import { databaseUnavailable } from '../platform/problem.js';
import { Database } from '../store/database.js';
import { UserMoves } from './user-move.repository.js';
import { reportRefused } from './user-moved.js';

/** How long a process goes on believing what it has read. */
const BELIEVED_MS = 1000;

/**
 * The users for whom nothing is accepted any more, because they have moved away. A process learns of them within a second;
 * whoever removes a user waits longer than that.
 */
@Injectable()
export class DepartedUsers {
  private readonly departed = new Set<string>();
  private version = 0;
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly moves: UserMoves,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Nearly always answers at once.
   *
   * @throws Problem 409 `user_moved`, 503 `database_unavailable`
   */
  check(userId: string): void | Promise<void> {
    const departed = this.has(userId);
    if (departed instanceof Promise) return departed.then(refuseIf);
    refuseIf(departed);
  }

  /** Whether {@link check} would refuse this user. @throws Problem 503 `database_unavailable` */
  has(userId: string): boolean | Promise<boolean> {
    // Where there is one process, no other one could move somebody.
    const believed = this.database.hasOneProcess ? Number.POSITIVE_INFINITY : BELIEVED_MS;
    if (this.clock.monotonic() - this.readAt < believed) return this.departed.has(userId);
    return this.read().then(() => this.departed.has(userId));
  }

  /** @throws OwnTransactionError if the caller's transaction waits for this call */
  private async read(): Promise<void> {
    await this.database.outsideOfOwn();
    this.reading ??= outsideOfContexts(() => this.learn()).finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  private async learn(): Promise<void> {
    const at = this.clock.monotonic();
    for (const { userId, state, version } of await this.moves.changedSince(this.version).catch(unavailable)) {
      if (version <= this.version) continue;
      this.version = version;
      if (state === 'closing' || state === 'gone') this.departed.add(userId);
      else this.departed.delete(userId);
    }
    this.readAt = Math.max(this.readAt, at);
  }
}

function refuseIf(departed: boolean): void {
  if (departed) throw reportRefused();
}

function unavailable(error: unknown): never {
  throw isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
}
