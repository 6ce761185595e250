import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { LifecyclePublisher } from './lifecycle/lifecycle-publisher.js';
import { LifecycleListener } from './lifecycle.listener.js';
import { NewNotifications } from './new-notifications.js';
import { NotificationController } from './notification.controller.js';
import { NotifierService } from './notifier.service.js';
import { OperationalNotices } from './operational-notices.js';
import { TestController } from './test.controller.js';

/** Turns lifecycle events into notifications. */
@Module({
  imports: [EngineModule, WebhookResourceModule, TriggerModule, IdempotencyModule],
  providers: [NotifierService, NewNotifications, LifecycleListener, LifecyclePublisher, OperationalNotices],
  exports: [NotifierService, LifecyclePublisher],
})
export class NotifierModule {}

@Module({
  imports: [NotifierModule, IdempotencyModule],
  controllers: [NotificationController, TestController],
})
export class NotifierHttpModule {}
