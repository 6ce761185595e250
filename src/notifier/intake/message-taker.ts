import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@nestjs/common';
import type { ConsumeMessage } from 'amqplib';
import { withoutStatement } from '../../platform/without-statement.js';
import { Backoff } from './backoff.js';
import type { RefusedMessages } from './broker/refused-messages.js';
import type { IntakeHandler, IntakeOutcome, IntakeRefusal } from './intake-handler.js';
import type { IntakeMetrics, RetryReason } from './intake-metrics.js';
import type { Outage } from './outage.js';

const FIRST_PAUSE_MS = 500;
/** After an error that nobody expected. */
const LONGEST_PAUSE_MS = 60_000;
/** While the message waits for something that passes. */
const LONGEST_WAIT_MS = 5000;
/** Whoever may publish could otherwise fill the log. */
const LOG_EVERY_MS = 60_000;

interface TakerOptions {
  handler: IntakeHandler;
  outage: Outage;
  refused: RefusedMessages;
  metrics: IntakeMetrics;
  logger: Logger;
  stop: AbortSignal;
  now(): number;
}

/**
 * Takes messages until each is stored or put aside.
 *
 *   delivered ──stored, duplicate──► acknowledged
 *      │  ▲ └──refused──► published to the other queue ──confirmed──► acknowledged
 *      ▼  │
 *     waits: for the database, for the same message under way, for its row, or after an error that nobody expected
 */
export class MessageTaker {
  private refusedSinceLog = 0;
  private nextLogAt = 0;

  constructor(private readonly options: TakerOptions) {}

  /**
   * @param isWanted whether the message still has to be acknowledged.
   * @returns whether to acknowledge it. Never rejects.
   */
  async take(message: ConsumeMessage, isWanted: () => boolean): Promise<boolean> {
    const { refused, metrics, stop, now } = this.options;
    const afterError = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    const waiting = new Backoff(FIRST_PAUSE_MS, LONGEST_WAIT_MS);
    for (;;) {
      const result = await this.tried(message, isWanted);
      if (result === null) return false;
      if (result !== 'error') {
        if (result.outcome === 'refused') {
          const isAside = await refused.put(message, result.refusal, isWanted, now());
          if (isAside) this.noteRefused(result.refusal);
          return isAside;
        }
        if (result.outcome !== 'not_now') {
          metrics.taken(result.outcome);
          return true;
        }
      }
      metrics.retried(reasonOf(result));
      const backoff = result === 'error' ? afterError : waiting;
      await sleep(backoff.next(), undefined, { signal: stop }).catch(() => undefined);
    }
  }

  /** @returns null if it is not wanted any more. */
  private async tried(
    { content, properties }: ConsumeMessage,
    isWanted: () => boolean,
  ): Promise<IntakeOutcome | 'error' | null> {
    const { handler, outage, logger } = this.options;
    const { messageId, headers } = properties;
    const handle = () => handler.handle({ body: content, messageId, headers });
    try {
      return await outage.handle(handle, isWanted);
    } catch (error) {
      const { stack, message } = withoutStatement(error) as Error;
      logger.error(`A message could not be stored and is tried again: ${message}`, stack);
      return 'error';
    }
  }

  private noteRefused({ code, detail }: IntakeRefusal): void {
    const { metrics, logger, now } = this.options;
    metrics.taken('refused');
    this.refusedSinceLog++;
    if (now() < this.nextLogAt) return;
    logger.warn(
      `Messages refused and put aside: ${this.refusedSinceLog}, the last one with ${code}: ${detail}`,
    );
    this.refusedSinceLog = 0;
    this.nextLogAt = now() + LOG_EVERY_MS;
  }
}

function reasonOf(result: 'error' | Extract<IntakeOutcome, { outcome: 'not_now' }>): RetryReason {
  if (result === 'error') return 'error';
  return result.code === 'database_unavailable' ? 'database' : 'in_use';
}
