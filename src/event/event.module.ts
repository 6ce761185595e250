import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { EventRepository } from './event.repository.js';

/** What to send: the kinds that each webhook subscribes to. */
@Module({
  imports: [DeliveryModule],
  providers: [EventRepository],
  exports: [EventRepository],
})
export class EventModule {}
