import { Logger } from '@nestjs/common';
import type { AttemptLog, LoggedAttempt } from '../../engine/report/attempt-log.js';
import type { ServiceConfig } from '../../platform/config/service-config.js';

/** For the service's log: an object with all details, for failures at level `info`, for successes at `debug`. */
export class WideAttemptLog implements AttemptLog {
  private readonly logger = new Logger('Attempt');
  private readonly showsSuccesses: boolean;

  constructor({ logLevel }: Pick<ServiceConfig, 'logLevel'>) {
    this.showsSuccesses = logLevel === 'debug' || logLevel === 'trace';
  }

  attempted({ trigger, attempt, errorCode, status }: LoggedAttempt): void {
    if (errorCode === null && !this.showsSuccesses) return;
    this.logger[errorCode === null ? 'debug' : 'log']({
      msg: 'attempt',
      trigger_id: trigger.id,
      webhook_id: trigger.webhookId,
      notification_id: trigger.notification.id,
      attempt: attempt.number,
      cause: trigger.cause,
      trigger_status: status,
      response_status: attempt.exchange.response?.status ?? null,
      error_code: errorCode,
      duration_ms: attempt.endAt - attempt.beginAt,
      ...attempt.exchange.phases,
    });
  }
}
