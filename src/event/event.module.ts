import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { EventController } from './event.controller.js';
import { EventRepository } from './event.repository.js';
import { EventService } from './event.service.js';

/** What to send: the kinds that each webhook subscribes to. An application imports `WebhookModule`, which exports `EventService`. */
@Module({
  imports: [EngineModule],
  providers: [EventService, EventRepository],
  exports: [EventService, EventRepository],
})
export class EventModule {}

@Module({ imports: [EventModule], controllers: [EventController] })
export class EventHttpModule {}
