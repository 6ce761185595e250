import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { DeliveryEvents } from './delivery-events.js';
import { type DisabledWebhook, TargetRepository } from './target.repository.js';

/** After the start, so that the application listens. */
const FIRST_LOOK_MS = 1000;
const LOOK_AGAIN_MS = 60_000;
/** By then the process that disabled a webhook has said so, or is gone. */
const OVERDUE_MS = 60_000;

/**
 * Tells the application that a webhook was disabled: at once, and, where the process died in between, by whichever process
 * finds that it has not been told.
 */
@Injectable()
export class DisabledNotices implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Delivery');
  private running = false;
  private work = Promise.resolve();
  private cancelTimer = () => {};

  constructor(
    private readonly targets: TargetRepository,
    private readonly events: DeliveryEvents,
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.role === 'api') return;
    this.running = true;
    // On SQLite nobody else can be about to say it.
    this.lookAfter(FIRST_LOOK_MS, this.database.dialect === 'sqlite' ? 0 : OVERDUE_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    this.cancelTimer();
    await this.work;
  }

  async tell(webhook: DisabledWebhook): Promise<void> {
    const { webhookId, userId, reason } = webhook;
    this.events.emit('webhook.disabled', { webhook_id: webhookId, user_id: userId, reason });
    await this.targets.setUntold(webhook, null);
  }

  private lookAfter(ms: number, overdueMs: number): void {
    this.cancelTimer = this.clock.after(ms, () => {
      this.work = this.look(overdueMs)
        .catch((error: Error) => this.logger.error(`Not looked for untold webhooks: ${error.message}`))
        .then(() => {
          if (this.running) this.lookAfter(LOOK_AGAIN_MS, OVERDUE_MS);
        });
    });
  }

  private async look(overdueMs: number): Promise<void> {
    const now = this.clock.now();
    for (const webhook of await this.targets.untold(now, overdueMs)) {
      // Of several processes that look, one says it.
      if (await this.targets.setUntold(webhook, now)) await this.tell({ ...webhook, untoldSince: now });
    }
  }
}
