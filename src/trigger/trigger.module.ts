import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { AnswerCapacity } from '../rest/large-answer/answer-capacity.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { TriggerRetry } from './retry/trigger-retry.service.js';
import { ShownTriggers } from './shown-triggers.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerDetails } from './trigger-details.service.js';
import { TriggerSearch } from './trigger-search.repository.js';

const shared = [
  ExchangeRepository,
  TriggerRepository,
  TriggerRetry,
  TriggerDetails,
  ShownTriggers,
  AnswerCapacity,
];

/** What happened to each firing of a webhook. */
@Module({
  imports: [EngineModule],
  providers: [...shared, TriggerSearch],
  exports: shared,
})
export class TriggerModule {}
