import { StatisticAdding } from './adding.js';
import { OldStatisticRepository } from './old-statistic.repository.js';
import { StatisticDeltaRepository } from './statistic-delta.repository.js';
import { StatisticsUpkeep } from './statistics-upkeep.js';

export const COUNTS = {
  providers: [StatisticAdding, OldStatisticRepository, StatisticDeltaRepository, StatisticsUpkeep],
  exports: [StatisticAdding, OldStatisticRepository],
};
