import { Module } from '@nestjs/common';
import { TriggerModule } from '../trigger/trigger.module.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { EventService } from './event.service.js';

/** What to send: the kinds that each webhook is subscribed to. */
@Module({
  imports: [WebhookResourceModule, TriggerModule],
  providers: [EventService],
  exports: [EventService],
})
export class EventModule {}
