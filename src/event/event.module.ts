import { Module } from '@nestjs/common';
import { TriggerModule } from '../trigger/trigger.module.js';
import { EventRepository } from './event.repository.js';
import { EventService } from './event.service.js';

/** What to send: the kinds that each webhook is subscribed to. */
@Module({
  imports: [TriggerModule],
  providers: [EventService, EventRepository],
  exports: [EventService, EventRepository],
})
export class EventModule {}
