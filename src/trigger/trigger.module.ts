import { Module } from '@nestjs/common';
import { AnswerPlaces } from './answer-places.js';
import { ExchangeRepository } from './exchange.repository.js';
import { QueueSignals } from './queue-signals.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerService } from './trigger.service.js';
import { TriggerSearch } from './trigger-search.repository.js';
import { UndeliveredRepository } from './undelivered.repository.js';

/** What happened to each firing of a webhook. */
@Module({
  providers: [
    TriggerService,
    TriggerRepository,
    TriggerSearch,
    ExchangeRepository,
    UndeliveredRepository,
    QueueSignals,
    AnswerPlaces,
  ],
  exports: [TriggerService, TriggerRepository, UndeliveredRepository, QueueSignals, AnswerPlaces],
})
export class TriggerModule {}
