import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { TriggerRepository } from '../trigger/trigger.repository.js';
import type { DisabledReason } from '../webhook/webhook.entity.js';
import { DeliveryEvents } from './delivery-events.js';
import type { Judgement } from './outcome.js';
import { TargetRepository } from './target.repository.js';
import type { Target } from './targets.js';

/** A webhook whose every attempt failed for so long is switched off. */
const MAX_FAILING_MS = 5 * 24 * 60 * 60 * 1000;

/** Watches how the attempts to each webhook go, and switches off the ones that are gone or fail for days. */
@Injectable()
export class WebhookHealth {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly database: Database,
    private readonly targets: TargetRepository,
    private readonly triggers: TriggerRepository,
    private readonly signals: QueueSignals,
    private readonly events: DeliveryEvents,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Writes only where an attempt changes what is known of the webhook. */
  async note(target: Target, { error, gone }: Judgement): Promise<void> {
    const now = this.clock.now();
    if (gone) return this.disable(target, 'gone');
    if (error === null) {
      if (target.failingSince !== null) await this.setFailingSince(target, null);
    } else if (target.failingSince === null) {
      await this.setFailingSince(target, now);
    } else if (now - target.failingSince >= MAX_FAILING_MS) {
      await this.disable(target, 'failing');
    }
  }

  private async setFailingSince(target: Target, failingSince: number | null): Promise<void> {
    target.failingSince = failingSince;
    await this.targets.setFailingSince(target.webhookId, failingSince);
  }

  private async disable(target: Target, reason: DisabledReason): Promise<void> {
    const { webhookId, userId } = target;
    const now = this.clock.now();
    if (!(await this.targets.disable(webhookId, reason, now))) return;
    await this.triggers.cancelPending(this.database.manager, { webhookId }, now);
    this.signals.onWebhookChanged(webhookId);
    this.logger.warn({ msg: 'webhook disabled', webhook_id: webhookId, user_id: userId, reason });
    this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
  }
}
