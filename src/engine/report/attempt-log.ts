import { Logger } from '@nestjs/common';
import type { AttemptErrorCode } from '../../network/attempt-error.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { Attempt } from '../send/sender.js';

/** An attempt that has ended. */
export interface LoggedAttempt {
  trigger: LeasedTrigger;
  attempt: Attempt;
  /** Null if the attempt succeeded. */
  errorCode: AttemptErrorCode | null;
  /** The state of the trigger after this attempt. */
  status: TriggerStatus;
}

/** Logs attempts, one line each. Of the URL it shows the host alone: path and query may hold credentials. */
export interface AttemptLog {
  attempted(attempt: LoggedAttempt): void;
}

/** Injection token of the {@link AttemptLog}. Without a provider it is a {@link ReadableAttemptLog}. */
export const ATTEMPT_LOG = Symbol('ATTEMPT_LOG');

/** For the log of an application: a sentence at level `debug`. */
export class ReadableAttemptLog implements AttemptLog {
  private readonly logger = new Logger('Delivery');

  attempted(attempt: LoggedAttempt): void {
    // Costs a tenth of a line that is made but not printed.
    if (Logger.isLevelEnabled('debug')) this.logger.debug(lineOf(attempt));
  }
}

function lineOf({ trigger, attempt, errorCode, status }: LoggedAttempt): string {
  const { number, beginAt, endAt, request, exchange } = attempt;
  const to = request?.url.host ?? `webhook ${trigger.webhookId}`;
  const answered = exchange.response?.status;
  const result = [answered, answered && errorCode ? `(${errorCode})` : errorCode].filter(Boolean).join(' ');
  const why = trigger.cause === 'schedule' ? '' : ` (${trigger.cause})`;
  return `${trigger.eventKind} to ${to}, attempt ${number}${why}: ${result} after ${endAt - beginAt} ms; trigger ${trigger.id} is ${status}`;
}
