import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import type { DisabledReason } from '../../webhook/webhook.entity.js';
import { ReceiverRepository } from '../send/receiver.repository.js';
import type { Receiver } from '../send/receivers.js';
import type { Attempt } from '../send/sender.js';
import { DisabledNotices } from './disabled-notices.js';
import { afterFailure, type FailingSpan } from './failing-span.js';
import { type Judgement, judge } from './judgement.js';

const MAX_REMEMBERED = 10_000;

/**
 * Watches how the attempts to each webhook go, and switches off the ones that are gone or fail for days. It writes only
 * what changes what is known of a webhook, and only where that is still as it was seen.
 */
@Injectable()
export class WebhookHealth {
  private readonly logger = new Logger('Delivery');
  /** When the last success of each webhook ended: what an attempt says that began before is out of date. */
  private readonly successes = new Map<string, number>();

  constructor(
    private readonly receivers: ReceiverRepository,
    private readonly signals: QueueSignals,
    private readonly notices: DisabledNotices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Before the result is stored: a success counts from when it ended, and is not forgotten in a crash. */
  async heard(receiver: Receiver, { exchange, endAt }: Attempt): Promise<void> {
    if (judge(exchange).error !== null) return;
    if (this.successes.size >= MAX_REMEMBERED) this.successes.clear();
    this.successes.set(receiver.webhookId, endAt);
    if (receiver.failing !== null) await this.works(receiver, endAt);
  }

  /** After the result is stored: what is switched off now includes its trigger. */
  async note(receiver: Receiver, attempt: Attempt, { error, gone }: Judgement): Promise<void> {
    if (error === null || this.isOutdated(receiver, attempt)) return;
    if (gone) return this.disable(receiver, 'gone');
    const after = afterFailure(receiver.failing, attempt);
    if (after === 'over') await this.disable(receiver, 'failing');
    else if (after !== receiver.failing) await this.fails(receiver, after);
  }

  private isOutdated({ webhookId }: Receiver, { beginAt }: Attempt): boolean {
    const success = this.successes.get(webhookId);
    // One in the future was before the clock was put back.
    return success !== undefined && success > beginAt && success <= this.clock.now();
  }

  private works(receiver: Receiver, endAt: number): Promise<void> {
    return this.write(receiver, null, () => this.receivers.clearFailing(receiver, endAt));
  }

  private fails(receiver: Receiver, span: FailingSpan): Promise<void> {
    const seen = { ...receiver };
    return this.write(receiver, span, () => this.receivers.setFailing(seen, span));
  }

  /** Other attempts that end meanwhile are not to write the same. */
  private async write(
    receiver: Receiver,
    span: FailingSpan | null,
    store: () => Promise<void>,
  ): Promise<void> {
    const { failing: seen } = receiver;
    receiver.failing = span;
    if (!(await this.attempt(receiver, store))) receiver.failing = seen;
  }

  private async disable(receiver: Receiver, reason: DisabledReason): Promise<void> {
    await this.attempt(receiver, async () => {
      const now = this.clock.now();
      if (!(await this.receivers.disable(receiver, reason, now))) return;
      const { webhookId, userId } = receiver;
      this.signals.emit('webhookChanged', webhookId);
      this.logger.warn({ msg: 'webhook disabled', webhook_id: webhookId, user_id: userId, reason });
      await this.notices.tell({ webhookId, userId, reason, untoldSince: now });
    });
  }

  /** What cannot be written now, the next attempt will say again; its delivery is no less stored for that. */
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
