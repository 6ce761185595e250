import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { ComputingShare } from './computing-share.js';
import { StatisticReading } from './reading.js';
import { StatisticRepository } from './statistic.repository.js';

const shared = [StatisticRepository, StatisticReading, ComputingShare];

/** How many attempts were made, and how they ended. */
@Module({ imports: [EngineModule], providers: shared, exports: shared })
export class StatisticsModule {}
