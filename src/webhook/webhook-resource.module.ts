import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { EventModule } from '../event/event.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { OpenedWebhooks } from './opened-webhooks.service.js';
import { RecoveryRepository } from './recovery/recovery.repository.js';
import { Resealer } from './secret/resealer.js';
import { SealedValuesRepository } from './secret/sealed-values.repository.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';
import { WebhookSearch } from './webhook-search.repository.js';
import { WebhookTags } from './webhook-tags.js';

const shared = [
  OpenedWebhooks,
  WebhookCreation,
  WebhookChanges,
  WebhookTags,
  WebhookRepository,
  WebhookSearch,
  WebhookSchemas,
  RecoveryRepository,
];

/** Where to send. */
@Module({
  imports: [EngineModule, EventModule, TriggerModule, IdempotencyModule],
  providers: [...shared, SealedValuesRepository, Resealer],
  exports: shared,
})
export class WebhookResourceModule {}
