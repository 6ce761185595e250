import type { Logger } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import type { IntakeMetrics } from './intake-metrics.js';

/** What all parts of a consumer use. */
export interface ConsumerTools {
  logger: Pick<Logger, 'log' | 'warn' | 'error'>;
  metrics: Pick<IntakeMetrics, 'taken' | 'retried'>;
  clock: Clock;
  /** The intake stops. */
  stop: AbortSignal;
  /** Gives all messages back to the broker. */
  giveBack(reason: string): void;
}
