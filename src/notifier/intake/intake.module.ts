import { Module } from '@nestjs/common';
import { DeliveryMetricsModule } from '../../engine/metrics/delivery-metrics.module.js';
import { IdempotencyModule } from '../../idempotency/idempotency.module.js';
import { NotifierModule } from '../notifier.module.js';
import { IntakeConsumer } from './intake-consumer.js';
import { IntakeHandler } from './intake-handler.js';

/** Takes events from a queue. */
@Module({
  imports: [NotifierModule, IdempotencyModule, DeliveryMetricsModule],
  providers: [IntakeHandler, IntakeConsumer],
  exports: [IntakeHandler, IntakeConsumer],
})
export class IntakeModule {}
