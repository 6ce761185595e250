import { Module } from '@nestjs/common';
import { OldStatisticRepository } from './old-statistic.repository.js';
import { StatisticRepository } from './statistic.repository.js';
import { StatisticDeltaRepository } from './statistic-delta.repository.js';

const shared = [StatisticRepository, StatisticDeltaRepository, OldStatisticRepository];

/** How many attempts were made, and how they ended. */
@Module({ providers: shared, exports: shared })
export class StatisticsModule {}
