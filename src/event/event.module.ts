import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { EventRepository } from './event.repository.js';

/** What to send: the kinds that each webhook subscribes to. */
@Module({
  imports: [EngineModule],
  providers: [EventRepository],
  exports: [EventRepository],
})
export class EventModule {}
