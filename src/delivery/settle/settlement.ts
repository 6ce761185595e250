import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { Batcher } from '../../common/batcher.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { isAboutData, isDatabaseUnavailable } from '../../common/database-error.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import type { ReceivedResponse } from '../../transport/transport.js';
import { QueueTime } from '../../trigger/queue-time.js';
import type { TriggerStatus } from '../../trigger/trigger.entity.js';
import type { EffectiveSettings } from '../../webhook/settings/webhook-settings.js';
import { isKnownToFail, type LeasedTrigger } from '../queue/leased-trigger.js';
import { ATTEMPT_LOG, type AttemptLog, ReadableAttemptLog } from '../report/attempt-log.js';
import { DeliveryMetrics } from '../report/delivery-metrics.js';
import { type NamedWebhook, noticeOfTrigger } from '../report/notices.js';
import type { Attempt } from '../send/sender.js';
import { type AttemptResult, stripped } from './attempt-result.js';
import { type Judgement, judge } from './judgement.js';
import { nextAttemptDelayMs, retryAfterMs } from './retry-schedule.js';
import { DatabaseBehindError, SettlementRepository } from './settlement.repository.js';

const MAX_BATCH = 200;
/** Used when `delivery.gentle` is set. */
const GENTLE_BATCH = 40;
/** How long a result waits for others to share its commit; the slot of its attempt is already free. */
const LINGER_MS = 4;
/** The first and the longest pause between two tries to store results. */
const STORE_AGAIN_MS = 500;
const STORE_AGAIN_MAX_MS = 30_000;
/**
 * How often a result that fails alone, for an unknown reason, is tried in full, and how often one that is ahead of the database
 * is tried at all: for about half a minute.
 */
const WHOLE_TRIES = 7;
/** While the database is unavailable the pause stops growing after this many tries: it may be back at any moment. */
const AWAY_TRIES = 3;

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
}

/** Judges attempts, decides what comes next, and stores the results in batches. */
@Injectable()
export class Settlement {
  private readonly logger = new Logger('Delivery');
  private readonly batcher: Batcher<AttemptResult, undefined>;
  private stopped = false;

  constructor(
    private readonly repository: SettlementRepository,
    private readonly metrics: DeliveryMetrics,
    @Inject(SETTINGS) settings: Settings,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    database: Database,
    @Optional() @Inject(ATTEMPT_LOG) private readonly log: AttemptLog = new ReadableAttemptLog(),
  ) {
    this.batcher = new Batcher((batch) => this.store(batch), {
      maxItems: settings.delivery.gentle ? GENTLE_BATCH : MAX_BATCH,
      lingerMs: LINGER_MS,
      parallel: database.parallelCommits,
      // The places for triggers are the bound, so no result is refused.
      maxWaiting: Number.POSITIVE_INFINITY,
      // A batch waits while the database is unavailable. Any other error may be one result's fault, so the batch is
      // split.
      isAboutItem: () => true,
    });
  }

  /**
   * Stops trying because the process is ending. Attempts whose results are not stored are made again by another
   * process.
   */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Resolves when the result is stored, however long that takes: if it gave up, a request that the receiver has
   * accepted would be sent again. A result that the database refuses is stored without the receiver's answer.
   */
  async settle(trigger: LeasedTrigger, attempt: Attempt, receiver: SettledReceiver): Promise<SettledAttempt> {
    const judgement = judge(attempt.exchange);
    const delay =
      judgement.error === null || judgement.gone || trigger.isProbe
        ? null
        : this.delayBeforeNext(trigger, attempt, judgement, receiver);
    const nextAttemptAt = delay === null ? null : this.time.of(attempt.endAt) + delay;
    const status = statusAfter(judgement, delay);
    const response = responseToKeep(attempt);
    const errorCode = judgement.error?.code ?? null;
    const notice = noticeOfTrigger({ trigger, attempt, receiver, status, error: judgement.error });
    this.log.attempted({ trigger, attempt, status, errorCode });
    this.metrics.attempted(status, errorCode, (attempt.endAt - attempt.beginAt) / 1000);
    await this.keep({
      id: trigger.id,
      userId: receiver.userId,
      webhookId: trigger.webhookId,
      eventKind: trigger.eventKind,
      subscriptionId: trigger.subscriptionId,
      lease: trigger.lease,
      number: attempt.number,
      status,
      beginAt: attempt.beginAt,
      endAt: attempt.endAt,
      nextAttemptAt,
      requestHead: attempt.request?.headId ?? null,
      request: attempt.request?.ownValues ?? null,
      response: response && JSON.stringify(shownResponse(response)),
      responseBody: response?.body ?? null,
      errorCode,
      errorMessage: judgement.error?.message.slice(0, 255) ?? null,
      errorDetail: errorDetailOf(attempt),
      phases: JSON.stringify(attempt.exchange.phases),
      outcome: String(response?.status ?? errorCode),
      cause: trigger.cause,
      exhausted: status === 'FAILED' && !isKnownToFail(trigger),
      hasFailed: status === 'FAILED' || (trigger.hasFailed && status !== 'SUCCEEDED'),
      lined: trigger.lined,
      notice,
    });
    return { judgement, nextAttemptAt, isNotable: notice !== null };
  }

  private async keep(result: AttemptResult): Promise<void> {
    let kept = result;
    let triesAhead = 0;
    for (let tries = 1; ; tries++) {
      try {
        await this.batcher.add(kept);
        return;
      } catch (error) {
        if (this.stopped) throw error;
        if (error instanceof DatabaseBehindError && ++triesAhead >= WHOLE_TRIES) {
          this.logger.warn(
            `The result of trigger ${result.id} is dropped: the database has lost that it was leased, and will have it sent again.`,
          );
          return;
        }
        const willNeverBe = kept === result && (isAboutData(error) || tries === WHOLE_TRIES);
        if (willNeverBe) kept = stripped(result);
        this.logger.error(
          `The result of trigger ${result.id} is not stored yet: ${(error as Error).message}`,
        );
        if (!willNeverBe) await this.pause(tries);
      }
    }
  }

  /** @returns null if the schedule is used up. */
  private delayBeforeNext(
    trigger: LeasedTrigger,
    attempt: Attempt,
    judgement: Judgement,
    { settings }: SettledReceiver,
  ): number | null {
    const failed = attempt.number - trigger.scheduleOffset;
    const delay = nextAttemptDelayMs(failed, settings.retryScheduleSeconds, Math.random);
    if (delay === null) return null;
    return Math.max(delay, retryAfterMs(judgement.retryAfter, this.clock.now()) ?? 0);
  }

  /**
   * The places of these triggers stay taken until it resolves, so nothing piles up while the database is unavailable.
   */
  private async store(batch: AttemptResult[]): Promise<undefined[]> {
    for (let tries = 1; ; tries++) {
      try {
        await this.repository.settle(batch);
        return [];
      } catch (error) {
        if (this.stopped || !isDatabaseUnavailable(error)) throw error;
        this.logger.error(`Results of ${batch.length} attempts not stored yet: ${(error as Error).message}`);
        await this.pause(Math.min(tries, AWAY_TRIES));
      }
    }
  }

  /** Doubles with each try, up to {@link STORE_AGAIN_MAX_MS}. */
  private pause(tries: number): Promise<void> {
    const ms = Math.min(STORE_AGAIN_MS * 2 ** (tries - 1), STORE_AGAIN_MAX_MS);
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }
}

function statusAfter({ error }: Judgement, delay: number | null): TriggerStatus {
  if (error === null) return 'SUCCEEDED';
  return delay === null ? 'FAILED' : 'PENDING';
}

/** Masked, because a receiver that echoes the request returns the values of the webhook's own headers. */
const responseToKeep = ({ exchange: { response }, echoes }: Attempt) =>
  response && echoes ? echoes.masked(response) : response;

/** JSON: what is known of an error beyond its message; null if there is no error, or nothing more. */
function errorDetailOf({ exchange, request }: Attempt): string | null {
  if (exchange.error === null) return null;
  const detail = { ...exchange.detail, ...(request && { host: request.url.hostname }) };
  const text = JSON.stringify(detail);
  return text === '{}' || text.length > MAX_DETAIL ? null : text;
}

const shownResponse = ({ status, headers, truncated }: ReceivedResponse) =>
  truncated ? { status, headers, truncated } : { status, headers };
