import { Module } from '@nestjs/common';
import { Resealer } from './secret/resealer.js';
import { SealedValuesRepository } from './secret/sealed-values.repository.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookSchemas } from './webhook.schemas.js';
import { WebhookTags } from './webhook-tags.js';

const shared = [WebhookTags, WebhookRepository, WebhookSchemas];

/** Where to send. */
@Module({
  providers: [...shared, SealedValuesRepository, Resealer],
  exports: shared,
})
export class WebhookResourceModule {}
