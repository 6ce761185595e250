import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import { ApiKeyController } from '../auth/api-key.controller.js';
import { MeController } from '../auth/me.controller.js';
import { SessionController } from '../auth/session/session.controller.js';
import { EngineModule } from '../engine/engine.module.js';
import { EventController } from '../event/event.controller.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { EraseController } from '../notification/erase.controller.js';
import { NotificationModule } from '../notification/notification.module.js';
import { NotificationHistoryController } from '../notification/notification-history.controller.js';
import { NotificationSource } from '../notification/stream/notification-source.js';
import { NotificationStreamController } from '../notification/stream/notification-stream.controller.js';
import { NotificationController } from '../notifier/notification.controller.js';
import { NotifierModule } from '../notifier/notifier.module.js';
import { TestController } from '../notifier/test.controller.js';
import { StatisticsController } from '../statistics/statistics.controller.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AttemptController } from '../trigger/attempt/attempt.controller.js';
import { TriggerSource } from '../trigger/stream/trigger-source.js';
import { TriggerStreamController } from '../trigger/stream/trigger-stream.controller.js';
import { TriggerController } from '../trigger/trigger.controller.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { RecoverController } from '../webhook/recovery/recover.controller.js';
import { PublicKeyController } from '../webhook/secret/public-key.controller.js';
import { SecretController } from '../webhook/secret/secret.controller.js';
import { WebhookController } from '../webhook/webhook.controller.js';
import { WebhookProvisioning } from '../webhook/webhook-provisioning.service.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { consoleController } from './console/console.controller.js';
import { ConsoleFiles } from './console/console-files.js';
import { ServicesModule } from './services.module.js';

interface ApiParts {
  apiKeys: boolean;
  prefix: string;
  console: { path: string } | undefined;
}

/** The REST API. A separate module, because workers and hosts with their own controllers do not need it. */
@Module({
  imports: [
    StatisticsModule,
    EngineModule,
    IdempotencyModule,
    WebhookResourceModule,
    TriggerModule,
    NotificationModule,
    ServicesModule,
    NotifierModule,
  ],
  // `ServicesModule` has one as well, but exports only what applications may inject.
  providers: [WebhookProvisioning, TriggerSource, NotificationSource],
  controllers: [
    WebhookController,
    SecretController,
    PublicKeyController,
    RecoverController,
    EventController,
    TriggerController,
    TriggerStreamController,
    AttemptController,
    NotificationController,
    NotificationHistoryController,
    NotificationStreamController,
    EraseController,
    TestController,
    StatisticsController,
    MeController,
  ],
})
export class ApiModule {
  /**
   * @param apiKeys whether callers use API keys, so that there are routes to manage them and to log in with one.
   * @param prefix goes before all paths; may be empty.
   * @param console where the console is; undefined for none.
   */
  static with({ apiKeys, prefix, console }: ApiParts): DynamicModule[] {
    const api = {
      module: ApiModule,
      controllers: [
        ...(apiKeys ? [ApiKeyController, SessionController] : []),
        ...(console ? [consoleController({ ...console, session: apiKeys })] : []),
      ],
      providers: console ? [ConsoleFiles] : [],
    };
    return prefix ? [api, RouterModule.register([{ path: prefix, module: ApiModule }])] : [api];
  }
}
