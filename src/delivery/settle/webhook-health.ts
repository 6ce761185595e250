import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { toDateTime } from '../../common/json/json-time.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import type { DisabledReason } from '../../webhook/webhook.entity.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { DeliveryEvents } from '../report/delivery-events.js';
import { noticeOfWebhook } from '../report/notices.js';
import type { Receiver } from '../send/receivers.js';
import type { Attempt } from '../send/sender.js';
import { DisabledNotices } from './disabled-notices.js';
import { afterFailure, type FailingSpan, progressOf } from './failing-span.js';
import { type Judgement, judge } from './judgement.js';
import { ReceiverPauses } from './receiver-pauses.js';
import { longestPauseMs } from './retry-schedule.js';
import { WebhookHealthRepository } from './webhook-health.repository.js';

const MAX_REMEMBERED = 10_000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Watches the attempts to each webhook, and disables webhooks that are gone or fail for days. It writes only changes, and
 * only if the webhook's row is still as it was read.
 */
@Injectable()
export class WebhookHealth {
  private readonly logger = new Logger('Delivery');
  /** When the last success of each webhook ended: an attempt that began before that says nothing new. */
  private readonly successes = new Map<string, number>();
  /** The last write about each receiver. */
  private readonly writes = new WeakMap<Receiver, Promise<unknown>>();
  private readonly spanMs: number;

  constructor(
    private readonly repository: WebhookHealthRepository,
    private readonly signals: QueueSignals,
    private readonly notices: DisabledNotices,
    private readonly events: DeliveryEvents,
    private readonly pauses: ReceiverPauses,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.spanMs = delivery.failingDisableHours * HOUR_MS;
  }

  /** Called before the result is stored: a success counts from its end, and survives a crash. */
  async heard(receiver: Receiver, { exchange, endAt }: Attempt): Promise<void> {
    if (judge(exchange).error !== null) return;
    this.pauses.ended(receiver);
    if (this.successes.size >= MAX_REMEMBERED) this.successes.clear();
    this.successes.set(receiver.webhookId, endAt);
    if (receiver.failing !== null) await this.works(receiver, endAt);
  }

  /** Called after the result is stored, so that disabling the webhook cancels this trigger too. */
  async note(
    receiver: Receiver,
    attempt: Attempt,
    { error, gone }: Judgement,
    trigger: LeasedTrigger,
  ): Promise<void> {
    if (error === null || this.isOutdated(receiver, attempt)) return;
    if (gone) await this.disable(receiver, 'gone', trigger);
    if (trigger.isProbe && gone) await this.gone(receiver);
    // That a webhook still fails which is disabled for failing is nothing new.
    if (trigger.isProbe || gone) return;
    const after = afterFailure(receiver.failing, attempt, firstSentOf(trigger), {
      spanMs: this.spanMs,
      pauseMs: longestPauseMs(receiver.settings.retryScheduleSeconds),
    });
    if (after === 'over') await this.disable(receiver, 'failing', trigger);
    else if (after !== receiver.failing) await this.fails(receiver, after, trigger);
  }

  private isOutdated({ webhookId }: Receiver, { beginAt }: Attempt): boolean {
    const success = this.successes.get(webhookId);
    // A success in the future was seen before the clock was set back.
    return success !== undefined && success > beginAt && success <= this.clock.now();
  }

  private works(receiver: Receiver, endAt: number): Promise<void> {
    return this.write(receiver, null, () => this.repository.clearFailing(receiver, endAt));
  }

  private fails(receiver: Receiver, span: FailingSpan, trigger: LeasedTrigger): Promise<void> {
    const seen = { ...receiver };
    const isNoted = span.since === seen.failing?.since && span.quarters === seen.failing.quarters;
    if (isNoted) return this.write(receiver, span, () => this.repository.lower(seen, span.oldest));
    const { percent, disabledAt } = progressOf(span, this.spanMs);
    const failing = {
      failing_since: toDateTime(span.since),
      percent,
      will_be_disabled_at: toDateTime(disabledAt),
    };
    return this.write(receiver, span, async () => {
      if (percent === 0) return void (await this.repository.setFailing(seen, span, null));
      const notice = noticeOfWebhook('WEBHOOK_FAILING', receiver, trigger, failing, this.clock.now());
      if (!(await this.repository.setFailing(seen, span, notice))) return;
      if (notice) this.signals.emit('noticed');
      const { webhookId, userId } = receiver;
      this.events.emit('webhook.failing', { webhook_id: webhookId, user_id: userId, ...failing });
    });
  }

  /** Updates the span in memory at once, so that other attempts ending in the meantime do not write the same. */
  private async write(
    receiver: Receiver,
    span: FailingSpan | null,
    store: () => Promise<void>,
  ): Promise<void> {
    const { failing: seen } = receiver;
    receiver.failing = span;
    // One after another: what an older notification adds to a span could be stored before the span itself.
    const before = this.writes.get(receiver);
    const written = Promise.resolve(before).then(() => this.attempt(receiver, store));
    this.writes.set(receiver, written);
    if (!(await written)) receiver.failing = seen;
  }

  private async disable(receiver: Receiver, reason: DisabledReason, trigger: LeasedTrigger): Promise<void> {
    await this.attempt(receiver, async () => {
      const now = this.clock.now();
      const { webhookId, userId, failing } = receiver;
      const facts = {
        reason,
        disabled_at: toDateTime(now),
        failing_since: failing && toDateTime(failing.since),
      };
      const notice = noticeOfWebhook('WEBHOOK_DISABLED', receiver, trigger, facts, now);
      const failedId = firstSentOf(trigger);
      if (!(await this.repository.disable(receiver, reason, { notice, failedId, now }))) return;
      if (notice) this.signals.emit('noticed');
      this.signals.emit('webhookChanged', webhookId);
      this.logger.warn({ msg: 'webhook disabled', webhook_id: webhookId, user_id: userId, reason });
      await this.notices.tell({ webhookId, userId, reason, untoldSince: now });
    });
  }

  /** Answered to the probe of a webhook that is disabled already. */
  private async gone(receiver: Receiver): Promise<void> {
    await this.attempt(receiver, () => this.repository.setGone(receiver, this.clock.now()));
  }

  /** A failed write is left to the next attempt, as the delivery itself is stored already. */
  private async attempt({ webhookId }: Receiver, write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.logger.error(`How webhook ${webhookId} does is not noted: ${(error as Error).message}`);
      return false;
    }
  }
}

/** The notification of a trigger; null if it was made due again by hand or by a recovery, long after it was made. */
const firstSentOf = ({ scheduleOffset, notification }: LeasedTrigger) =>
  scheduleOffset === 0 ? notification.id : null;
