import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { HealthRepository } from '../health/health.repository.js';
import type { HealthChange } from '../health/health-states.js';
import { CancellationRepository, type Unwanted } from './cancel/cancellation.repository.js';
import { QueueSignals } from './queue-signals.js';

/**
 * Switches webhooks on and off, whoever asks: the owner, an answer of the receiver, or the answer to a probe. Cancels what waits
 * for a webhook or an event that is off or gone.
 */
@Injectable()
export class WebhookSwitch {
  constructor(
    private readonly database: Database,
    private readonly health: HealthRepository,
    private readonly cancellations: CancellationRepository,
    private readonly signals: QueueSignals,
  ) {}

  /**
   * Changes the health of a webhook, which may switch it on or off, and tells the engine.
   *
   * @param before its row, which the caller has locked.
   */
  async change(
    manager: EntityManager,
    before: WebhookEntity,
    change: HealthChange,
    now: number,
  ): Promise<void> {
    if (Object.keys(change).length === 0) return;
    await this.health.change(manager, before, change, now);
    this.database.onCommit(manager, () => this.signals.emit('webhookChanged', before.id));
    if (change.enabled === false) await this.cancelPending(manager, { webhookId: before.id }, now);
  }

  /**
   * Cancels the first 500 triggers in the transaction that switches their webhook or event off, and the rest after its commit,
   * if need be in another process. None of them is sent meanwhile, as the webhook or event is off.
   */
  async cancelPending(manager: EntityManager, of: Unwanted, now: number): Promise<void> {
    if (of.eventIds?.length === 0) return;
    const isRest = await this.cancellations.cancelFirst(manager, of, now);
    if (isRest) this.database.onCommit(manager, () => this.signals.emit('leftToCancel'));
  }
}
