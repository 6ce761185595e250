import { Module } from '@nestjs/common';
import { EventRepository } from '../event/event.repository.js';
import { EventKinds } from '../event/event-kinds.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookService } from './webhook.service.js';

/** Where to send. A webhook owns its events, so their repository lives here. */
@Module({
  imports: [TriggerModule, IdempotencyModule],
  providers: [WebhookService, WebhookRepository, WebhookSchemas, EventRepository, EventKinds],
  exports: [WebhookService, WebhookRepository, WebhookSchemas, EventRepository, EventKinds],
})
export class WebhookResourceModule {}
