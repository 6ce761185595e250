import { Injectable } from '@nestjs/common';
import { Column, DataSource, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { OnWebhookEvent, type TriggerFailed, type WebhookDisabled } from 'webhook-notification-service';

@Entity('audit')
export class AuditEntity {
  @PrimaryGeneratedColumn() id!: number;
  @Column('varchar', { name: 'user_id', length: 128 }) userId!: string;
  @Column('varchar', { name: 'webhook_id', length: 36 }) webhookId!: string;
  @Column('varchar', { length: 64 }) what!: string;
}

/** Records deliveries that failed for good and webhooks that were disabled. */
@Injectable()
export class WebhookAudit {
  constructor(private readonly dataSource: DataSource) {}

  @OnWebhookEvent('trigger.failed')
  async onFailed({ user_id, webhook_id, error }: TriggerFailed): Promise<void> {
    await this.write(user_id, webhook_id, `not delivered: ${error.code}`);
  }

  @OnWebhookEvent('webhook.disabled')
  async onDisabled({ user_id, webhook_id, reason }: WebhookDisabled): Promise<void> {
    await this.write(user_id, webhook_id, `disabled: ${reason}`);
  }

  private async write(userId: string, webhookId: string, what: string): Promise<void> {
    await this.dataSource.manager.insert(AuditEntity, { userId, webhookId, what });
  }
}
