import { Module } from '@nestjs/common';
import { EventRepository } from './event.repository.js';

/** What to send: the kinds that each webhook subscribes to. */
@Module({
  providers: [EventRepository],
  exports: [EventRepository],
})
export class EventModule {}
