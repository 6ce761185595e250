import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { TriggerRetry } from './retry/trigger-retry.service.js';
import { TriggerSource } from './stream/trigger-source.js';
import { TriggerController } from './trigger.controller.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerService } from './trigger.service.js';
import { TriggerSearch } from './trigger-search.repository.js';
import { TriggerViews } from './trigger-views.js';

const shared = [TriggerService, TriggerViews, TriggerRepository, ExchangeRepository];

/** What happened to each firing of a webhook. An application imports `WebhookModule`, which exports `TriggerService`. */
@Module({
  imports: [EngineModule],
  providers: [...shared, TriggerRetry, TriggerSearch],
  exports: shared,
})
export class TriggerModule {}

@Module({
  imports: [TriggerModule, StreamsModule],
  providers: [TriggerSource],
  controllers: [TriggerController],
})
export class TriggerHttpModule {}
