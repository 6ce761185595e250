import { Module } from '@nestjs/common';
import { QueueSignals } from './queue-signals.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerService } from './trigger.service.js';

/** What happened to each firing of a webhook. */
@Module({
  providers: [TriggerService, TriggerRepository, QueueSignals],
  exports: [TriggerService, TriggerRepository, QueueSignals],
})
export class TriggerModule {}
