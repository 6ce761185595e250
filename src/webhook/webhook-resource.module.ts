import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { EventModule } from '../event/event.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { CreationKeys } from './creation-keys.service.js';
import { DecryptedWebhooks } from './decrypted-webhooks.service.js';
import { WaitingRepository } from './health/waiting.repository.js';
import { RecoverController } from './recovery/recover.controller.js';
import { RecoveryRepository } from './recovery/recovery.repository.js';
import { WebhookRecovery } from './recovery/webhook-recovery.service.js';
import { Resealer } from './secret/resealer.js';
import { SealedValuesRepository } from './secret/sealed-values.repository.js';
import { SecretController } from './secret/secret.controller.js';
import { WebhookSecrets } from './secret/webhook-secrets.service.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';
import { WebhookAnswers } from './webhook-answers.js';
import { WebhookChanges } from './webhook-changes.service.js';
import { WebhookCreation } from './webhook-creation.service.js';
import { WebhookLock } from './webhook-lock.service.js';
import { WebhookProvisioning } from './webhook-provisioning.service.js';
import { WebhookSearch } from './webhook-search.repository.js';
import { WebhookTags } from './webhook-tags.js';
import { WebhookViews } from './webhook-views.js';

const shared = [
  WebhookService,
  WebhookSecrets,
  WebhookRecovery,
  DecryptedWebhooks,
  WebhookCreation,
  WebhookChanges,
  WebhookProvisioning,
  WebhookRepository,
  WebhookSchemas,
  WebhookViews,
];

/** Where to send. An application imports `WebhookModule`, which exports `WebhookService`. */
@Module({
  imports: [EngineModule, EventModule, TriggerModule, IdempotencyModule],
  providers: [
    ...shared,
    WebhookLock,
    CreationKeys,
    WebhookSearch,
    WaitingRepository,
    RecoveryRepository,
    SealedValuesRepository,
    Resealer,
  ],
  exports: shared,
})
export class WebhookResourceModule {}

@Module({
  imports: [WebhookResourceModule, IdempotencyModule],
  controllers: [WebhookController, SecretController, RecoverController],
  providers: [WebhookTags, WebhookAnswers],
})
export class WebhookHttpModule {}
