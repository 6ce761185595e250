import { ConfigurableModuleBuilder, type DynamicModule, Module, type Type } from '@nestjs/common';
import { ModulesContainer, RouterModule } from '@nestjs/core';
import { ApiKeyHttpModule, AuthHttpModule, AuthModule } from '../auth/auth.module.js';
import { hostAuthenticator } from '../auth/host-authenticator.js';
import { DeliveryMetricsModule } from '../engine/metrics/delivery-metrics.module.js';
import { EventHttpModule, EventModule } from '../event/event.module.js';
import { warnOfUnheardEvents } from '../nest/unheard-events.js';
import { NotificationHttpModule, NotificationModule } from '../notification/notification.module.js';
import { IntakeModule } from '../notifier/intake/intake.module.js';
import { NotifierHttpModule, NotifierModule } from '../notifier/notifier.module.js';
import { ConfigError } from '../platform/config/config-error.js';
import { RetentionModule } from '../retention/retention.module.js';
import { StatisticsHttpModule, StatisticsModule } from '../statistics/statistics.module.js';
import { TriggerHttpModule, TriggerModule } from '../trigger/trigger.module.js';
import { WebhookHttpModule, WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { ConsoleModule } from './console/console.module.js';
import { CoreModule } from './core.module.js';
import { checkAsyncOptions, checkOptions } from './import-checks.js';
import {
  type AssembledStructure,
  structureFields,
  structureOf,
  type WebhookModuleStructure,
} from './structural-options.js';
import type { WebhookModuleAsyncOptions, WebhookModuleLateOptions } from './webhook-async-options.js';
import type { WebhookModuleOptions } from './webhook-options.js';

/** The application may inject the services of these. */
const PUBLIC = [
  WebhookResourceModule,
  EventModule,
  TriggerModule,
  NotificationModule,
  StatisticsModule,
  NotifierModule,
  IntakeModule,
  DeliveryMetricsModule,
];

/** The REST API, which workers and applications with controllers of their own leave out. */
const ROUTES = [
  WebhookHttpModule,
  EventHttpModule,
  TriggerHttpModule,
  NotifierHttpModule,
  NotificationHttpModule,
  StatisticsHttpModule,
  AuthHttpModule,
];

const OPTIONS = Symbol('WEBHOOK_MODULE_OPTIONS');

/** Makes the provider of the options. */
const { ConfigurableModuleClass: OptionsSource } = new ConfigurableModuleBuilder<WebhookModuleLateOptions>({
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .build();

/** The parts of `WebhookModule`. An application has it once. */
@Module({})
export class WebhookRootModule {
  constructor(modules: ModulesContainer) {
    const count = [...modules.values()].filter(({ metatype }) => metatype === WebhookRootModule).length;
    if (count > 1) {
      throw new ConfigError([
        `WebhookModule: forRoot or forRootAsync is called ${count} times in this application, and each call makes a module that answers the same routes and sends the same events again. Call it once, keep the result in a constant, and import that constant wherever its services are injected; or set isGlobal`,
      ]);
    }
  }
  /** @throws ConfigError */
  static with(options: WebhookModuleOptions & Partial<WebhookModuleStructure>): DynamicModule {
    checkOptions(options);
    const late = Object.entries(options).filter(([name]) => !(name in structureFields));
    return assemble(OptionsSource.forRoot(Object.fromEntries(late) as never), options);
  }

  /** @throws ConfigError */
  static withLate(options: WebhookModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    return assemble(OptionsSource.forRootAsync(options), options);
  }
}

function assemble(
  source: Pick<DynamicModule, 'imports' | 'providers'>,
  given: Partial<WebhookModuleStructure>,
): DynamicModule {
  warnOfUnheardEvents();
  const structure = structureOf(given);
  return {
    module: WebhookRootModule,
    global: structure.isGlobal,
    imports: [
      CoreModule.with(source, OPTIONS, structure.dataSource),
      authOf(structure),
      ...PUBLIC,
      RetentionModule,
      ...routesOf(structure),
    ],
    exports: PUBLIC,
  };
}

function authOf({ routes, guards, principal }: AssembledStructure): DynamicModule {
  // Without routes nobody asks them, and what they inject need not be there.
  const asked = routes ? guards : [];
  return principal ? AuthModule.with(hostAuthenticator(principal), asked) : AuthModule.withApiKeys(asked);
}

function routesOf({ routes, prefix, principal, console }: AssembledStructure): (Type | DynamicModule)[] {
  if (!routes) return [];
  const apiKeys = !principal;
  const modules: Type[] = apiKeys ? [...ROUTES, ApiKeyHttpModule] : ROUTES;
  const page = console ? [ConsoleModule.at({ ...console, session: apiKeys })] : [];
  const children = [...modules, ...page.map(({ module }) => module)];
  return [...modules, ...page, ...(prefix ? [RouterModule.register([{ path: prefix, children }])] : [])];
}
