import { Module } from '@nestjs/common';
import { EngineModule } from '../engine/engine.module.js';
import { EventModule } from '../event/event.module.js';
import { EventService } from '../event/event.service.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { NotificationModule } from '../notification/notification.module.js';
import { NotificationService } from '../notification/notification.service.js';
import { NotificationErasure } from '../notification/notification-erasure.service.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { StatisticsService } from '../statistics/statistics.service.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { TriggerService } from '../trigger/trigger.service.js';
import { WebhookRecovery } from '../webhook/recovery/webhook-recovery.service.js';
import { WebhookSecrets } from '../webhook/secret/webhook-secrets.service.js';
import { WebhookService } from '../webhook/webhook.service.js';
import { WebhookProvisioning } from '../webhook/webhook-provisioning.service.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';

const services = [
  WebhookService,
  WebhookSecrets,
  EventService,
  TriggerService,
  WebhookRecovery,
  StatisticsService,
  NotificationService,
  NotificationErasure,
];

/** The services that an application may inject, apart from the repositories under them, which it may not. */
@Module({
  imports: [
    EngineModule,
    WebhookResourceModule,
    EventModule,
    TriggerModule,
    IdempotencyModule,
    NotificationModule,
    StatisticsModule,
  ],
  providers: [...services, WebhookProvisioning],
  exports: services,
})
export class ServicesModule {}
