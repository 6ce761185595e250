import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { toDateTime } from '../../../platform/json/json-time.js';
import type { DisabledReason } from '../../../store/tables/webhook/webhook.entity.js';
import { afterFailure, type FailingSpan, progressOf, withFailed } from '../../health/failing-span.js';
import { HealthRepository } from '../../health/health.repository.js';
import { firstSentOf, type LeasedTrigger } from '../../queue/leased-trigger.js';
import { noticeOfWebhook } from '../../report/notices.js';
import type { Receiver } from '../../send/receivers.js';
import type { Attempt } from '../../send/sender.js';
import { isSuccess, type Judgement } from '../judgement.js';
import { longestPauseMs } from '../retry-schedule.js';
import { HealthEvents } from './health-events.js';
import { HealthNotes } from './health-notes.js';
import { ShownHealth } from './shown-health.js';
import { WebhookFailures } from './webhook-failures.repository.js';

const MAX_REMEMBERED = 10_000;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Watches the attempts to each webhook, and disables webhooks that are gone or fail for days. It writes only changes, and
 * only if the webhook's row is still as it was read.
 */
@Injectable()
export class HealthWatcher {
  private readonly logger = new Logger('Delivery');
  /** When the last success of each webhook ended: an attempt that began before that says nothing new. */
  private readonly successes = new Map<string, number>();
  private readonly spanMs: number;

  constructor(
    private readonly health: HealthRepository,
    private readonly failures: WebhookFailures,
    private readonly notes: HealthNotes,
    private readonly events: HealthEvents,
    private readonly shown: ShownHealth,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.spanMs = delivery.failingDisableHours * HOUR_MS;
  }

  /**
   * Called before the result is stored: a success counts from its end, and survives a crash.
   *
   * @param pausedMs for how long this process leaves the receiver alone; 0 if it does not.
   * @returns null if there is nothing to wait for.
   */
  heard(receiver: Receiver, { exchange, endAt }: Attempt, pausedMs: number): Promise<void> | null {
    if (!isSuccess(exchange)) {
      if (pausedMs > 0) this.shown.pauses(receiver, pausedMs);
      return null;
    }
    // An attempt that was under way when the pause began does not end it.
    if (pausedMs === 0) this.shown.resumes(receiver);
    if (this.successes.size >= MAX_REMEMBERED) this.successes.clear();
    this.successes.set(receiver.webhookId, endAt);
    return receiver.failing === null && receiver.delivered ? null : this.works(receiver, endAt);
  }

  /** Called after the result is stored, so that disabling the webhook cancels this trigger too. */
  async note(
    receiver: Receiver,
    attempt: Attempt,
    { error, disables }: Judgement,
    trigger: LeasedTrigger,
  ): Promise<void> {
    if (error === null) return;
    if (this.isOutdated(receiver, attempt)) return this.alsoMissed(receiver, trigger);
    this.shown.failed(receiver, trigger.id);
    if (disables) await this.disable(receiver, disables, trigger);
    if (trigger.isProbe && disables === 'gone') await this.gone(receiver);
    // That a webhook still fails which is disabled for failing is nothing new.
    if (trigger.isProbe || disables) return;
    await this.endSpan(receiver);
    const after = afterFailure(receiver.failing, attempt, firstSentOf(trigger), {
      spanMs: this.spanMs,
      pauseMs: longestPauseMs(receiver.settings.retryScheduleSeconds),
    });
    if (after === 'over') await this.disable(receiver, 'failing', trigger);
    else if (after !== receiver.failing) await this.fails(receiver, after, trigger);
  }

  /** Notes what failed in an attempt that says nothing new: it has to come back all the same. */
  private async alsoMissed(receiver: Receiver, trigger: LeasedTrigger): Promise<void> {
    const { failing } = receiver;
    if (failing === null || trigger.isProbe) return;
    const span = withFailed(failing, firstSentOf(trigger));
    if (span !== failing) await this.fails(receiver, span, trigger);
  }

  private isOutdated({ webhookId }: Receiver, { beginAt }: Attempt): boolean {
    return this.lastSuccess(webhookId) > beginAt;
  }

  /**
   * The row that the receiver was read from may lack a success: it waits to be noted, or its attempt began before the row told of
   * failures, so that there was nothing to note. Unless the row loses the span, no other one can be written.
   */
  private async endSpan(receiver: Receiver): Promise<void> {
    const { failing, webhookId } = receiver;
    const success = this.lastSuccess(webhookId);
    if (failing !== null && success >= failing.since) await this.works(receiver, success);
  }

  private lastSuccess(webhookId: string): number {
    const success = this.successes.get(webhookId) ?? 0;
    // One in the future was seen before the clock was set back.
    return success <= this.clock.now() ? success : 0;
  }

  private works(receiver: Receiver, endAt: number): Promise<void> {
    return this.write(receiver, null, () => this.health.works(receiver, endAt));
  }

  private fails(receiver: Receiver, span: FailingSpan, trigger: LeasedTrigger): Promise<void> {
    const seen = { ...receiver };
    const isNoted = span.since === seen.failing?.since && span.quarters === seen.failing.quarters;
    if (isNoted) return this.write(receiver, span, () => this.health.missed(seen, span.oldest));
    const { percent, disabledAt } = progressOf(span, this.spanMs);
    const failing = {
      failing_since: toDateTime(span.since),
      percent,
      will_be_disabled_at: toDateTime(disabledAt),
    };
    return this.write(receiver, span, async () => {
      if (percent === 0) return void (await this.failures.fails(seen, span, null));
      const notice = noticeOfWebhook('WEBHOOK_FAILING', receiver, trigger, failing, this.clock.now());
      if (await this.failures.fails(seen, span, notice)) this.events.failing(receiver, failing);
    });
  }

  /** Updates the span in memory at once, so that other attempts ending in the meantime do not write the same. */
  private write(receiver: Receiver, span: FailingSpan | null, store: () => Promise<void>): Promise<void> {
    const { failing: seen, delivered } = receiver;
    receiver.failing = span;
    receiver.delivered ||= span === null;
    const lost = () => {
      if (receiver.failing === span) Object.assign(receiver, { failing: seen, delivered });
    };
    return this.notes.add(receiver.webhookId, { write: store, lost, isSuccess: span === null });
  }

  private async disable(receiver: Receiver, reason: DisabledReason, trigger: LeasedTrigger): Promise<void> {
    const now = this.clock.now();
    // As it is now: a success may be noted before this is written.
    const seen = { ...receiver };
    const { webhookId, userId, failing } = seen;
    const facts = {
      reason,
      disabled_at: toDateTime(now),
      failing_since: failing && toDateTime(failing.since),
    };
    const notice = noticeOfWebhook('WEBHOOK_DISABLED', receiver, trigger, facts, now);
    const failedId = firstSentOf(trigger);
    const write = async () => {
      if (!(await this.failures.disable(seen, reason, { notice, failedId, now }))) return;
      this.logger.warn({ msg: 'webhook disabled', webhook_id: webhookId, user_id: userId, reason });
      await this.events.disabled({ webhookId, userId, reason, since: now });
    };
    await this.notes.add(webhookId, { write });
  }

  /** Answered to the probe of a webhook that is disabled already. */
  private gone(receiver: Receiver): Promise<void> {
    const write = () => this.health.goneForGood(receiver, this.clock.now());
    return this.notes.add(receiver.webhookId, { write });
  }
}
