import { Inject, Injectable, Optional } from '@nestjs/common';
import type { AttemptErrorCode, AttemptErrorDetail } from '../../network/attempt-error.js';
import type { ReceivedResponse } from '../../network/transport/transport.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { FailingSpan } from '../health/failing-span.js';
import { QueueTime } from '../ledger/queue-time.js';
import { DeliveryMetrics } from '../metrics/delivery-metrics.js';
import { firstSentOf, isKnownToFail, type LeasedTrigger } from '../queue/leased-trigger.js';
import { ATTEMPT_LOG, type AttemptLog, ReadableAttemptLog } from '../report/attempt-log.js';
import { type NamedWebhook, noticeOfTrigger } from '../report/notices.js';
import type { Attempt } from '../send/sender.js';
import type { EffectiveSettings } from '../webhook/webhook-settings.js';
import { type Judgement, judge } from './judgement.js';
import { delayBeforeNext, statusAfter } from './next-attempt.js';
import { ResultStore } from './result-store.js';
import { SettlementRepository } from './settlement.repository.js';

const MAX_BATCH = 200;
/** Used when `delivery.gentle` is set. */
const GENTLE_BATCH = 40;
/** Characters. */
const MAX_DETAIL = 1024;

/** How an attempt was judged, and when the next one is due, in epoch milliseconds; null if there is none. */
export interface SettledAttempt {
  judgement: Judgement;
  nextAttemptAt: number | null;
  /** Whether the user's other webhooks may be told of it. */
  isNotable: boolean;
}

/** The webhook that an attempt was made to. */
interface SettledReceiver extends NamedWebhook {
  settings: Pick<EffectiveSettings, 'retryScheduleSeconds'>;
  failing: FailingSpan | null;
}

/** Judges attempts, and has the results and what comes next stored. */
@Injectable()
export class Settlement {
  private readonly store: ResultStore;

  constructor(
    repository: SettlementRepository,
    private readonly metrics: DeliveryMetrics,
    @Inject(SETTINGS) settings: Settings,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    database: Database,
    @Optional() @Inject(ATTEMPT_LOG) private readonly log: AttemptLog = new ReadableAttemptLog(),
  ) {
    this.store = new ResultStore(repository, clock, {
      maxItems: settings.delivery.gentle ? GENTLE_BATCH : MAX_BATCH,
      parallel: database.parallelCommits,
    });
  }

  /**
   * Stops trying because the process is ending. Attempts whose results are not stored are made again by another
   * process.
   */
  stop(): void {
    this.store.stop();
  }

  /**
   * Resolves when the result is stored, however long that takes.
   *
   * @param onApart called if that may take long, as this result is at fault, or its row is locked.
   */
  async settle(
    trigger: LeasedTrigger,
    attempt: Attempt,
    receiver: SettledReceiver,
    onApart = () => {},
  ): Promise<SettledAttempt> {
    const judgement = judge(attempt.exchange);
    const pace = { scheduleSeconds: receiver.settings.retryScheduleSeconds, nowMs: this.clock.now() };
    const delay = delayBeforeNext(trigger, attempt.number, judgement, pace);
    const nextAttemptAt = delay === null ? null : this.time.of(attempt.endAt) + delay;
    const status = statusAfter(judgement, delay);
    const response = responseToKeep(attempt);
    const errorCode = judgement.error?.code ?? null;
    const notice = noticeOfTrigger({ trigger, attempt, receiver, status, error: judgement.error });
    this.log.attempted({ trigger, attempt, status, errorCode });
    this.metrics.attempted(status, errorCode, (attempt.endAt - attempt.beginAt) / 1000);
    const result = {
      id: trigger.id,
      userId: receiver.userId,
      webhookId: trigger.webhookId,
      eventKind: trigger.eventKind,
      eventId: trigger.eventId,
      lease: trigger.lease,
      number: attempt.number,
      status,
      beginAt: attempt.beginAt,
      endAt: attempt.endAt,
      nextAttemptAt,
      requestHead: attempt.request?.headId ?? null,
      request: attempt.request?.ownValues ?? null,
      response: response && writeJson(shownResponse(response)),
      responseBody: response?.body ?? null,
      errorCode,
      errorMessage: judgement.error?.message.slice(0, 255) ?? null,
      errorDetail: errorDetailOf(attempt, errorCode),
      phases: writeJson(attempt.exchange.phases),
      outcome: String(response?.status ?? errorCode),
      cause: trigger.cause,
      exhausted: status === 'FAILED' && !isKnownToFail(trigger),
      missed: status === 'FAILED' && !trigger.isProbe ? firstSentOf(trigger) : null,
      hasFailed: status === 'FAILED' || (trigger.hasFailed && status !== 'SUCCEEDED'),
      ordered: trigger.ordered,
      notice,
    };
    await this.store.keep(result, onApart);
    return { judgement, nextAttemptAt, isNotable: notice !== null };
  }
}

/** Masked, because a receiver that echoes the request returns the values of the webhook's own headers. */
const responseToKeep = ({ exchange: { response }, echoes }: Attempt) =>
  response && echoes ? echoes.masked(response) : response;

/** JSON: what is known of an error beyond its message; null if there is no error, or nothing more. */
function errorDetailOf(attempt: Attempt, code: AttemptErrorCode | null): string | null {
  const detail = detailOf(attempt, code);
  if (detail === null) return null;
  const text = writeJson(detail);
  return text === '{}' || text.length > MAX_DETAIL ? null : text;
}

function detailOf(
  { exchange, request }: Attempt,
  code: AttemptErrorCode | null,
): (AttemptErrorDetail & { host?: string }) | null {
  if (exchange.error) return { ...exchange.detail, ...(request && { host: request.url.hostname }) };
  const { location } = exchange.response.headers;
  const isRelative = code === 'redirect' && location !== undefined && !URL.canParse(location);
  return isRelative && request ? { from: request.url.origin + request.url.pathname } : null;
}

const shownResponse = ({ status, headers, truncated }: ReceivedResponse) =>
  truncated ? { status, headers, truncated } : { status, headers };
