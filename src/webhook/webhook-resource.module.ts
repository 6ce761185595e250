import { Module } from '@nestjs/common';
import { EventRepository } from '../event/event.repository.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { Resealer } from './resealer.js';
import { SealedValuesRepository } from './sealed-values.repository.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';
import { WebhookRecovery } from './webhook-recovery.service.js';
import { WebhookSecrets } from './webhook-secrets.service.js';
import { WebhookTags } from './webhook-tags.js';

const shared = [
  WebhookService,
  WebhookSecrets,
  WebhookRecovery,
  WebhookTags,
  WebhookRepository,
  WebhookSchemas,
  EventRepository,
];

/** Where to send. A webhook owns its events, so their repository lives here. */
@Module({
  imports: [TriggerModule, IdempotencyModule],
  providers: [...shared, SealedValuesRepository, Resealer],
  exports: shared,
})
export class WebhookResourceModule {}
