import { Module } from '@nestjs/common';
import { EventModule } from '../event/event.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { OpenedWebhooks } from './opened-webhooks.service.js';
import { MissedWalk } from './recovery/missed-walk.repository.js';
import { RecoveryRepository } from './recovery/recovery.repository.js';
import { RecoveryCount } from './recovery/recovery-count.js';
import { RecoveryWalks } from './recovery/recovery-walks.js';
import { UndeliveredWalk } from './recovery/undelivered-walk.repository.js';
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
  RecoveryCount,
  RecoveryRepository,
  RecoveryWalks,
];

/** Where to send. */
@Module({
  imports: [EventModule, TriggerModule, IdempotencyModule],
  providers: [...shared, MissedWalk, UndeliveredWalk, SealedValuesRepository, Resealer],
  exports: shared,
})
export class WebhookResourceModule {}
