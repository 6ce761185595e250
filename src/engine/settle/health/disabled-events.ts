import { Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../../jobs/jobs.js';
import { DeliveryEvents } from '../../report/delivery-events.js';
import { type DisabledWebhook, WebhookHealthRepository } from './webhook-health.repository.js';

/** Leaves the application time to start listening. */
const FIRST_POLL_MS = 1000;
const POLL_AGAIN_MS = 60_000;

/**
 * Tells the application that a webhook was disabled: at once, or, if the process died in between, from the process that
 * finds that it was not told.
 */
@Injectable()
export class DisabledEvents {
  private readonly logger = new Logger('Delivery');
  /** What the application was told by a transaction that failed when it was committed. */
  private readonly told = new Set<string>();

  constructor(
    private readonly repository: WebhookHealthRepository,
    private readonly events: DeliveryEvents,
    jobs: Jobs,
  ) {
    jobs.add({
      logger: this.logger,
      failure: 'Could not look for webhooks whose webhook.disabled was not emitted',
      runs: 'sending',
      firstAfterMs: FIRST_POLL_MS,
      againAfterErrorMs: POLL_AGAIN_MS,
      step: () => this.poll(),
    });
  }

  /** Without effect if another process has told the application. */
  async tell(webhook: DisabledWebhook): Promise<void> {
    const { webhookId, userId, reason, since } = webhook;
    const event = `${webhookId} ${since}`;
    await this.repository.tellOnce(webhook, () => {
      if (this.told.has(event)) return;
      this.told.add(event);
      this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
    });
    this.told.delete(event);
  }

  private async poll(): Promise<number> {
    // One that is locked holds up no other.
    for (const webhook of await this.repository.pendingDisabledEvents())
      await this.tell(webhook).catch((error: Error) =>
        this.logger.error(
          `Could not emit webhook.disabled for webhook ${webhook.webhookId}: ${error.message}`,
        ),
      );
    return POLL_AGAIN_MS;
  }
}
