import { Module } from '@nestjs/common';
import { EventModule } from '../event/event.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { Resealer } from './secret/resealer.js';
import { SealedValuesRepository } from './secret/sealed-values.repository.js';
import { WebhookSecrets } from './secret/webhook-secrets.service.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';
import { WebhookRecovery } from './webhook-recovery.service.js';
import { WebhookTags } from './webhook-tags.js';

const shared = [
  WebhookService,
  WebhookSecrets,
  WebhookRecovery,
  WebhookTags,
  WebhookRepository,
  WebhookSchemas,
];

/** Where to send. */
@Module({
  imports: [EventModule, TriggerModule, IdempotencyModule],
  providers: [...shared, SealedValuesRepository, Resealer],
  exports: shared,
})
export class WebhookResourceModule {}
