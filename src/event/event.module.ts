import { Module } from '@nestjs/common';
import { EventRepository } from './event.repository.js';
import { EventFilters } from './filter/event-filters.service.js';

/** What to send: the kinds that each webhook subscribes to. */
@Module({
  providers: [EventRepository, EventFilters],
  exports: [EventRepository, EventFilters],
})
export class EventModule {}
