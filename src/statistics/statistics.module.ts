import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { StatisticReading } from './reading.js';
import { StatisticRepository } from './statistic.repository.js';

const shared = [StatisticRepository, StatisticReading];

/** How many attempts were made, and how they ended. */
@Module({ imports: [DeliveryModule], providers: shared, exports: shared })
export class StatisticsModule {}
