import { Module } from '@nestjs/common';
import { QueueSignals } from './queue-signals.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerService } from './trigger.service.js';
import { UndeliveredRepository } from './undelivered.repository.js';

/** What happened to each firing of a webhook. */
@Module({
  providers: [TriggerService, TriggerRepository, UndeliveredRepository, QueueSignals],
  exports: [TriggerService, TriggerRepository, UndeliveredRepository, QueueSignals],
})
export class TriggerModule {}
