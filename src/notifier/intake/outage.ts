import { Backoff } from './backoff.js';
import type { ConsumerTools } from './consumer-tools.js';
import type { IntakeOutcome } from './intake-handler.js';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/**
 * How long messages are held while the database is away, before the broker gets them back. Well below the half hour after which
 * RabbitMQ takes them back itself.
 */
const GIVE_BACK_MS = 600_000;

/** A message that waits for the end of an outage. */
interface Waiting {
  handle(): Promise<IntakeOutcome>;
  isWanted(): boolean;
  /** What became of it when it was last tried. */
  outcome: IntakeOutcome | null;
  resolve(outcome: IntakeOutcome | null): void;
  reject(error: unknown): void;
}

/**
 * While the database is away, one message at a time is tried, and all wait for it.
 *
 *   there ──a message finds it away──► away, those that wait are tried in turn ──one is stored, or none waits──► there
 *
 * Messages take turns because the first may be the only one that the database does not take: somebody keeps a row of it locked, or
 * its notification takes too long each time. Then it is the first that goes on waiting, by itself.
 */
export class Outage {
  /** The messages that wait; null while the database is there. */
  private waiting: Waiting[] | null = null;
  private probing: Promise<void> | null = null;
  /** Whether a message was stored since the outage began. */
  private isAnswered = false;

  constructor(private readonly tools: ConsumerTools) {}

  /** Resolves when the database is there, or when the intake stops. */
  async over(): Promise<void> {
    while (this.waiting) await this.probing;
  }

  /**
   * Handles a message, in its turn if the database is away.
   *
   * @param isWanted whether it still matters: not if the broker has it back.
   * @returns its outcome, which is `not_now` if only this message finds the database away; null if the database is there again
   * and has not been asked, if the message matters no more, or if the intake stops.
   * @throws what `handle` throws
   */
  async handle(handle: () => Promise<IntakeOutcome>, isWanted: () => boolean): Promise<IntakeOutcome | null> {
    const outcome = this.waiting ? null : await handle();
    if (outcome && !isAway(outcome)) {
      // It was on its way when another found the database away.
      this.isAnswered ||= isStored(outcome);
      return outcome;
    }
    const { promise, resolve, reject } = Promise.withResolvers<IntakeOutcome | null>();
    const message = { handle, isWanted, resolve, reject };
    if (this.waiting) this.waiting.push({ ...message, outcome: null });
    else this.probing = this.probe({ ...message, outcome });
    return promise;
  }

  private async probe(first: Waiting): Promise<void> {
    const { logger, clock, stop, giveBack } = this.tools;
    const waiting: Waiting[] = [];
    this.waiting = waiting;
    this.isAnswered = false;
    logger.warn('Messages wait for the database, which does not answer');
    const cancel = clock.after(GIVE_BACK_MS, () =>
      giveBack(
        'The database has been away for ten minutes: the broker gets the messages back until it is there',
      ),
    );
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, stop);
    await backoff.pause();
    // Behind those that have come meanwhile: it may be the only one that is not taken.
    waiting.push(first);
    while (!stop.aborted && !this.isAnswered && !(await this.tryNext(waiting))) await backoff.pause();
    cancel();
    this.waiting = null;
    if (!stop.aborted) logger.log('The database is there again');
    for (const { resolve, outcome } of waiting) resolve(stop.aborted ? null : outcome);
  }

  /**
   * Tries the next message. One after the other: together they would share a transaction, and its end.
   *
   * @returns whether the database is there, or nobody waits for it.
   */
  private async tryNext(waiting: Waiting[]): Promise<boolean> {
    // The last one is tried also if the broker has it back: as long as nothing is stored, nobody else would try.
    while (waiting.length > 1 && !waiting[0]?.isWanted()) waiting.shift()?.resolve(null);
    const next = waiting.shift();
    if (!next) return true;
    this.tools.metrics.retried('database');
    try {
      const outcome = await next.handle();
      next.outcome = outcome;
      if (isAway(outcome)) waiting.push(next);
      else next.resolve(outcome);
      // One may be refused without the database.
      return isStored(outcome);
    } catch (error) {
      next.reject(error);
      return false;
    }
  }
}

const isStored = ({ outcome }: IntakeOutcome) => outcome === 'stored' || outcome === 'duplicate';

const isAway = (outcome: IntakeOutcome) =>
  outcome.outcome === 'not_now' && outcome.code === 'database_unavailable';
