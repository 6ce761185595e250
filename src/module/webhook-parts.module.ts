import { ConfigurableModuleBuilder, type DynamicModule, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { AuthModule } from '../auth/auth.module.js';
import { hostAuthenticator } from '../auth/host-authenticator.js';
import { DeliveryMetricsModule } from '../engine/metrics/delivery-metrics.module.js';
import { IntakeModule } from '../notifier/intake/intake.module.js';
import { NotifierModule } from '../notifier/notifier.module.js';
import { warnOfUnheardEvents } from '../notifier/unheard-events.js';
import { ConfigError } from '../platform/config/config-error.js';
import { RetentionModule } from '../retention/retention.module.js';
import { ApiModule } from './api.module.js';
import { CoreModule } from './core.module.js';
import { checkAsyncOptions, checkOptions } from './option-checks.js';
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

/** The parts of `WebhookModule`. An application has it once. */
@Module({})
export class WebhookParts {
  constructor(modules: ModulesContainer) {
    const count = [...modules.values()].filter(({ metatype }) => metatype === WebhookParts).length;
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
  const { routes, prefix, isGlobal, dataSource, guards, principal, console } = structureOf(given);
  // Without routes nobody asks them, and what they inject need not be there.
  const asked = routes ? guards : [];
  const auth = principal
    ? AuthModule.with(hostAuthenticator(principal), asked)
    : AuthModule.withApiKeys(asked);
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
