import { Module } from '@nestjs/common';
import { DeliveryMetrics } from './delivery-metrics.js';

/** By itself, because an application may inject the metrics and nothing else of the engine. */
@Module({ providers: [DeliveryMetrics], exports: [DeliveryMetrics] })
export class DeliveryMetricsModule {}
