import { Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../../jobs/jobs.js';
import { type DisabledWebhook, HealthRepository } from '../../health/health.repository.js';
import { DeliveryEvents } from '../../report/delivery-events.js';
import type { WebhookFailing } from '../../report/on-webhook-event.js';
import type { Receiver } from '../../send/receivers.js';

/** Leaves the application time to start listening. */
const FIRST_POLL_MS = 1000;
const POLL_AGAIN_MS = 60_000;

/**
 * Emits the events about a webhook's health. That it was disabled is emitted at once, or, if the process died in between, by the
 * process that finds that it was not.
 */
@Injectable()
export class HealthEvents {
  private readonly logger = new Logger('Delivery');
  /** What was emitted in a transaction that failed when it was committed. */
  private readonly emitted = new Set<string>();

  constructor(
    private readonly health: HealthRepository,
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

  failing({ webhookId, userId }: Receiver, span: Omit<WebhookFailing, 'webhook_id' | 'user_id'>): void {
    this.events.emit('webhook.failing', { webhook_id: webhookId, user_id: userId, ...span });
  }

  /** Without effect if another process has emitted it. */
  async disabled(webhook: DisabledWebhook): Promise<void> {
    const { webhookId, userId, reason, since } = webhook;
    const event = `${webhookId} ${since}`;
    await this.health.tellOnce(webhook, () => {
      if (this.emitted.has(event)) return;
      this.emitted.add(event);
      this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
    });
    this.emitted.delete(event);
  }

  private async poll(): Promise<number> {
    // One that is locked holds up no other.
    for (const webhook of await this.health.pendingDisabledEvents())
      await this.disabled(webhook).catch((error: Error) =>
        this.logger.error(
          `Could not emit webhook.disabled for webhook ${webhook.webhookId}: ${error.message}`,
        ),
      );
    return POLL_AGAIN_MS;
  }
}
