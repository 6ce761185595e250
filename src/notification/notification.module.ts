import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { StreamsModule } from '../streams/streams.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { ErasureRepository } from './erasure.repository.js';
import { NotificationRepository } from './notification.repository.js';
import { NotificationService } from './notification.service.js';
import { NotificationErasure } from './notification-erasure.service.js';
import { NotificationHistoryController } from './notification-history.controller.js';
import { NotificationSearch } from './notification-search.repository.js';
import { NotificationSource } from './stream/notification-source.js';

const shared = [NotificationService, NotificationErasure, NotificationRepository];

/**
 * What happened to the notifications, and what is stored of them. An application imports `WebhookModule`, which exports
 * `NotificationService`.
 */
@Module({
  imports: [EngineModule],
  providers: [...shared, NotificationSearch, ErasureRepository],
  exports: shared,
})
export class NotificationModule {}

@Module({
  imports: [TriggerModule, NotificationModule, StreamsModule],
  providers: [NotificationSource],
  controllers: [NotificationHistoryController],
})
export class NotificationHttpModule {}
