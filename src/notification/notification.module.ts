import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { ErasureRepository } from './erasure.repository.js';
import { NotificationRepository } from './notification.repository.js';
import { NotificationSearch } from './notification-search.repository.js';

const shared = [NotificationRepository, NotificationSearch, ErasureRepository];

/** What happened to the notifications, and what is stored of them. */
@Module({ imports: [EngineModule, TriggerModule], providers: shared, exports: shared })
export class NotificationModule {}
