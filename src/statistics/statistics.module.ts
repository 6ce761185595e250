import { Module } from '@nestjs/common';
import { StatisticAdding } from './adding.js';
import { OldStatisticRepository } from './old-statistic.repository.js';
import { StatisticReading } from './reading.js';
import { StatisticRepository } from './statistic.repository.js';
import { StatisticDeltaRepository } from './statistic-delta.repository.js';

const shared = [StatisticRepository, StatisticReading, StatisticAdding, OldStatisticRepository];

/** How many attempts were made, and how they ended. */
@Module({ providers: [...shared, StatisticDeltaRepository], exports: shared })
export class StatisticsModule {}
