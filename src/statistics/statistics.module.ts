import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { ComputingShare } from './computing-share.js';
import { StatisticReading } from './reading.js';
import { StatisticRepository } from './statistic.repository.js';
import { StatisticsController } from './statistics.controller.js';
import { StatisticsService } from './statistics.service.js';

/** How many attempts were made, and how they ended. An application imports `WebhookModule`, which exports `StatisticsService`. */
@Module({
  imports: [EngineModule],
  providers: [StatisticsService, StatisticRepository, StatisticReading, ComputingShare],
  exports: [StatisticsService, ComputingShare],
})
export class StatisticsModule {}

@Module({ imports: [StatisticsModule], controllers: [StatisticsController] })
export class StatisticsHttpModule {}
