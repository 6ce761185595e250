import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { ApiModule } from './api.module.js';
import { AuthModule } from './auth/auth.module.js';
import { hostAuthenticator } from './auth/host-authenticator.js';
import { CoreModule } from './core.module.js';
import { DeliveryMetricsModule } from './delivery/report/delivery-metrics.module.js';
import { NotifierModule } from './notifier/notifier.module.js';
import { ServicesModule } from './services.module.js';
import type { WebhookModuleOptions, WebhookModuleStructure } from './webhook-options.js';

/** What the application may inject. */
const PUBLIC = [ServicesModule, NotifierModule, DeliveryMetricsModule];
const OPTIONS = Symbol('WEBHOOK_MODULE_OPTIONS');

const STRUCTURE: WebhookModuleStructure = {
  routes: true,
  prefix: '',
  isGlobal: false,
  dataSource: undefined,
  guards: [],
  principal: undefined,
};

function assemble(definition: DynamicModule, structure: WebhookModuleStructure): DynamicModule {
  const { routes, prefix, isGlobal, dataSource, guards, principal } = structure;
  const auth = principal
    ? AuthModule.with(hostAuthenticator(principal), guards)
    : AuthModule.withApiKeys(guards);
  return {
    module: definition.module,
    global: isGlobal,
    imports: [
      CoreModule.with(definition, OPTIONS, dataSource),
      auth,
      ...PUBLIC,
      ...(routes ? ApiModule.with({ apiKeys: !principal, prefix }) : []),
    ],
    exports: PUBLIC,
  };
}

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<WebhookModuleOptions>({
  moduleName: 'Webhook',
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .setExtras(STRUCTURE, assemble)
  .build();

/**
 * Webhooks in a Nest application: the REST API, the lifecycle events, and the delivery of notifications.
 * The application imports `TypeOrmModule`, with the entities and migrations exported here, and `EventEmitterModule`.
 */
@Module({})
export class WebhookModule extends ConfigurableModuleClass {}
