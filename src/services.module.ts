import { Module } from '@nestjs/common';
import { EventModule } from './event/event.module.js';
import { EventService } from './event/event.service.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { TriggerModule } from './trigger/trigger.module.js';
import { TriggerService } from './trigger/trigger.service.js';
import { WebhookSecrets } from './webhook/secret/webhook-secrets.service.js';
import { WebhookService } from './webhook/webhook.service.js';
import { WebhookRecovery } from './webhook/webhook-recovery.service.js';
import { WebhookResourceModule } from './webhook/webhook-resource.module.js';

const services = [WebhookService, WebhookSecrets, EventService, TriggerService, WebhookRecovery];

/** The services that an application may inject, apart from the repositories under them, which it may not. */
@Module({
  imports: [WebhookResourceModule, EventModule, TriggerModule, IdempotencyModule],
  providers: services,
  exports: services,
})
export class ServicesModule {}
