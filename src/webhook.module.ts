import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { ApiModule } from './api.module.js';
import { AuthModule } from './auth/auth.module.js';
import { hostAuthenticator } from './auth/host-authenticator.js';
import { ConfigError } from './config/config-error.js';
import { CoreModule } from './core.module.js';
import { DeliveryMetricsModule } from './delivery/report/delivery-metrics.module.js';
import { IntakeModule } from './intake/intake.module.js';
import { NotifierModule } from './notifier/notifier.module.js';
import { checkAsyncOptions, checkOptions } from './option-checks.js';
import { RetentionModule } from './retention/retention.module.js';
import { ServicesModule } from './services.module.js';
import type { WebhookModuleAsyncOptions, WebhookModuleLateOptions } from './webhook-async-options.js';
import type { WebhookModuleOptions } from './webhook-options.js';
import { structureFields, structureOf, type WebhookModuleStructure } from './webhook-structure.js';

/** What the application may inject. */
const PUBLIC = [ServicesModule, NotifierModule, IntakeModule, DeliveryMetricsModule];
const OPTIONS = Symbol('WEBHOOK_MODULE_OPTIONS');

/** Makes the provider of the options. */
const { ConfigurableModuleClass: OptionsSource } = new ConfigurableModuleBuilder<WebhookModuleLateOptions>({
  optionsInjectionToken: OPTIONS,
})
  .setClassMethodName('forRoot')
  .build();

/** What `forRoot` makes: the parts of the module. An application has it once. */
@Module({})
class WebhookParts {
  constructor(modules: ModulesContainer) {
    const count = [...modules.values()].filter(({ metatype }) => metatype === WebhookParts).length;
    if (count > 1) {
      throw new ConfigError([
        `WebhookModule: forRoot or forRootAsync is called ${count} times in this application, and each call makes a module that answers the same routes and sends the same events again. Call it once, keep the result in a constant, and import that constant wherever its services are injected; or set isGlobal`,
      ]);
    }
  }
}

function assemble(
  source: Pick<DynamicModule, 'imports' | 'providers'>,
  given: Partial<WebhookModuleStructure>,
): DynamicModule {
  const { routes, prefix, isGlobal, dataSource, guards, principal, console } = structureOf(given);
  const auth = principal
    ? AuthModule.with(hostAuthenticator(principal), guards)
    : AuthModule.withApiKeys(guards);
  return {
    module: WebhookParts,
    global: isGlobal,
    imports: [
      CoreModule.with(source, OPTIONS, dataSource),
      auth,
      ...PUBLIC,
      RetentionModule,
      ...(routes ? ApiModule.with({ apiKeys: !principal, prefix, console }) : []),
    ],
    exports: PUBLIC,
  };
}

/**
 * Webhooks in a Nest application: the REST API, the lifecycle events, and the delivery of notifications.
 * The application imports `TypeOrmModule`, with the entities and migrations exported here, and `EventEmitterModule`.
 *
 * Call `forRoot` or `forRootAsync` once for an application, and import the result; the class itself cannot be imported.
 */
@Module({})
export class WebhookModule {
  private constructor() {
    throw new ConfigError([
      'WebhookModule: is imported without options. Import what WebhookModule.forRoot({ … }) returned, kept in a constant, instead of the class; or set isGlobal there, and leave this import out',
    ]);
  }

  /**
   * Takes all options at import.
   *
   * @throws ConfigError naming every option that does not exist, and every structural one that is wrong. The values of
   * the others are checked at the start.
   */
  static forRoot(options: WebhookModuleOptions & Partial<WebhookModuleStructure>): DynamicModule {
    checkOptions(options);
    const late = Object.entries(options).filter(([name]) => !(name in structureFields));
    return assemble(OptionsSource.forRoot(Object.fromEntries(late) as never), options);
  }

  /**
   * Takes the options late, such as from a configuration service; those of {@link WebhookModuleStructure} go beside
   * `useFactory`.
   *
   * @throws ConfigError naming every option here that is wrong. What `useFactory` returns is checked at the start.
   */
  static forRootAsync(options: WebhookModuleAsyncOptions): DynamicModule {
    checkAsyncOptions(options);
    return assemble(OptionsSource.forRootAsync(options), options);
  }
}
