import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { Database } from '../../../store/database.js';
import { DeliveryEvents } from '../../report/delivery-events.js';
import { type DisabledWebhook, WebhookHealthRepository } from './webhook-health.repository.js';

/** Leaves the application time to start listening. */
const FIRST_POLL_MS = 1000;
const POLL_AGAIN_MS = 60_000;
/** By then the process that disabled the webhook has told the application or is dead. */
const OVERDUE_MS = 60_000;

/**
 * Tells the application that a webhook was disabled: at once, or, if the process died in between, from the process that
 * finds the notice still open.
 */
@Injectable()
export class DisabledEvents {
  private readonly logger = new Logger('Delivery');
  private overdueMs: number;

  constructor(
    private readonly repository: WebhookHealthRepository,
    private readonly events: DeliveryEvents,
    database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    // Where there is one process, no other one could be about to tell the application.
    this.overdueMs = database.hasOneProcess ? 0 : OVERDUE_MS;
    jobs.add({
      logger: this.logger,
      failure: 'Not looked for disabled webhooks that the application does not know of',
      runs: 'sending',
      firstAfterMs: FIRST_POLL_MS,
      againAfterErrorMs: POLL_AGAIN_MS,
      step: () => this.poll(),
    });
  }

  async tell(webhook: DisabledWebhook): Promise<void> {
    const { webhookId, userId, reason } = webhook;
    this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
    await this.repository.setDisabledEventPending(webhook, null);
  }

  private async poll(): Promise<number> {
    const now = this.clock.now();
    for (const webhook of await this.repository.pendingDisabledEvents(now, this.overdueMs))
      await this.tellOnce(webhook, now);
    this.overdueMs = OVERDUE_MS;
    return POLL_AGAIN_MS;
  }

  /** If several processes look, only one of them tells the application. A webhook that is locked holds up no other. */
  private async tellOnce(webhook: DisabledWebhook, now: number): Promise<void> {
    try {
      if (await this.repository.setDisabledEventPending(webhook, now))
        await this.tell({ ...webhook, disabledEventPendingSince: now });
    } catch (error) {
      this.logger.error(
        `That webhook ${webhook.webhookId} was disabled is not told yet: ${(error as Error).message}`,
      );
    }
  }
}
