import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundTask } from '../../../platform/background-task.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { Database } from '../../../store/database.js';
import { DeliveryEvents } from '../../report/delivery-events.js';
import { type DisabledWebhook, WebhookHealthRepository } from './webhook-health.repository.js';

/** Leaves the application time to start listening. */
const FIRST_LOOK_MS = 1000;
const LOOK_AGAIN_MS = 60_000;
/** By then the process that disabled the webhook has told the application or is dead. */
const OVERDUE_MS = 60_000;

/**
 * Tells the application that a webhook was disabled: at once, or, if the process died in between, from the process that
 * finds the notice still open.
 */
@Injectable()
export class DisabledNotices implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Delivery');
  private readonly task: BackgroundTask;
  private overdueMs: number;

  constructor(
    private readonly repository: WebhookHealthRepository,
    private readonly events: DeliveryEvents,
    database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    // On SQLite there is no other process that could be about to tell the application.
    this.overdueMs = database.dialect === 'sqlite' ? 0 : OVERDUE_MS;
    this.task = new BackgroundTask(clock, () => this.look(), {
      logger: this.logger,
      failure: 'Not looked for untold webhooks',
      againAfterErrorMs: LOOK_AGAIN_MS,
    });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.task.runAfter(FIRST_LOOK_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async tell(webhook: DisabledWebhook): Promise<void> {
    const { webhookId, userId, reason } = webhook;
    this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
    await this.repository.setUntold(webhook, null);
  }

  private async look(): Promise<number> {
    const now = this.clock.now();
    for (const webhook of await this.repository.untold(now, this.overdueMs))
      await this.tellOnce(webhook, now);
    this.overdueMs = OVERDUE_MS;
    return LOOK_AGAIN_MS;
  }

  /** If several processes look, only one of them tells the application. A webhook that is locked holds up no other. */
  private async tellOnce(webhook: DisabledWebhook, now: number): Promise<void> {
    try {
      if (await this.repository.setUntold(webhook, now)) await this.tell({ ...webhook, untoldSince: now });
    } catch (error) {
      this.logger.error(
        `That webhook ${webhook.webhookId} was disabled is not told yet: ${(error as Error).message}`,
      );
    }
  }
}
