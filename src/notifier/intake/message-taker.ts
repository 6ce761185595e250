import { withoutStatement } from '../../platform/without-statement.js';
import { Backoff } from './backoff.js';
import type { ConsumerTools } from './consumer-tools.js';
import type { IntakeHandler, IntakeOutcome, IntakeRefusal } from './intake-handler.js';
import type { IntakeMessage } from './message.js';
import { Outage } from './outage.js';

const FIRST_PAUSE_MS = 500;
/** While the message waits for something that passes. */
const LONGEST_WAIT_MS = 5000;
/** While it cannot be put aside, and after an error that nobody expected. */
const LONGEST_PAUSE_MS = 30_000;
/** Whoever may publish could otherwise fill the log. */
const LOG_EVERY_MS = 60_000;

/** A message that a broker waits for the acknowledgement of. */
export interface DeliveredMessage extends IntakeMessage {
  /** Whether it still has to be acknowledged: not if the broker has it back. */
  isWanted(): boolean;
  /** Resolves when it is where refused messages are kept. @throws Error saying why it cannot be now */
  putAside(refusal: IntakeRefusal): Promise<void>;
}

type Done = Exclude<IntakeOutcome, { outcome: 'not_now' }>;

/**
 * Takes messages of any broker until each is stored or put aside.
 *
 *   delivered ──stored, duplicate──► acknowledged
 *      │  ▲ └──refused──► put aside ──confirmed──► acknowledged
 *      ▼  │
 *     waits: for the database, for the same message under way, for its row, or after an error that nobody expected
 */
export class MessageTaker {
  private readonly outage: Outage;
  /** The messages that could not be put aside yet, and are tried again. */
  private readonly stuck = new Set<DeliveredMessage>();
  private lastProblem = '';
  private refusedSinceLog = 0;
  private nextLogAt = 0;

  constructor(
    private readonly handler: IntakeHandler,
    private readonly tools: ConsumerTools,
  ) {
    this.outage = new Outage(tools);
  }

  /** Whether messages wait that cannot be put aside now. */
  get isBehind(): boolean {
    return this.stuck.size > 0;
  }

  /** Resolves when the database is there, or when the intake stops. */
  databaseIsThere(): Promise<void> {
    return this.outage.over();
  }

  /** @returns whether to acknowledge it. Never rejects. */
  async take(message: DeliveredMessage): Promise<boolean> {
    const result = await this.handled(message);
    if (result === null) return false;
    if (result.outcome === 'refused' && !(await this.isAside(message, result.refusal))) return false;
    this.tools.metrics.taken(result.outcome);
    return true;
  }

  /** @returns null if it is not wanted any more, or if the intake stops. */
  private async handled(message: DeliveredMessage): Promise<Done | null> {
    const { logger, metrics, stop } = this.tools;
    const waiting = new Backoff(FIRST_PAUSE_MS, LONGEST_WAIT_MS, stop);
    const afterError = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, stop);
    while (!stop.aborted && message.isWanted()) {
      try {
        const result = await this.outage.handle(() => this.handler.handle(message), message.isWanted);
        if (result === null) continue;
        if (result.outcome !== 'not_now') return result;
        metrics.retried(result.code === 'database_unavailable' ? 'database' : 'in_use');
        await waiting.pause();
      } catch (error) {
        const { stack, message: reason } = withoutStatement(error) as Error;
        logger.error(`A message could not be stored and is tried again: ${reason}`, stack);
        metrics.retried('error');
        await afterError.pause();
      }
    }
    return null;
  }

  private async isAside(message: DeliveredMessage, refusal: IntakeRefusal): Promise<boolean> {
    const { logger, stop } = this.tools;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, stop);
    let isAside = false;
    while (!isAside && !stop.aborted && message.isWanted()) {
      try {
        await message.putAside(refusal);
        isAside = true;
        this.lastProblem = '';
        this.noteRefused(refusal);
      } catch (error) {
        this.stuck.add(message);
        const problem = (error as Error).message;
        // The same problem is logged once.
        if (problem !== this.lastProblem && !stop.aborted)
          logger.error(`A refused message cannot be put aside yet: ${problem}`);
        this.lastProblem = problem;
        await backoff.pause();
      }
    }
    this.stuck.delete(message);
    return isAside;
  }

  private noteRefused({ code, detail }: IntakeRefusal): void {
    const { logger, clock } = this.tools;
    this.refusedSinceLog++;
    if (clock.now() < this.nextLogAt) return;
    logger.warn(
      `Messages refused and put aside: ${this.refusedSinceLog}, the last one with ${code}: ${detail}`,
    );
    this.refusedSinceLog = 0;
    this.nextLogAt = clock.now() + LOG_EVERY_MS;
  }
}
