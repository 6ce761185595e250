import { type DynamicModule, Module } from '@nestjs/common';
import * as swagger from '@nestjs/swagger';
import { ConfigError } from '../platform/config/config-error.js';
import { describeApi } from '../rest/docs.js';
import type { WebhookModuleStructure } from './structural-options.js';
import type { WebhookModuleAsyncOptions } from './webhook-async-options.js';
import type { WebhookModuleOptions } from './webhook-options.js';
import { WebhookRootModule } from './webhook-root.module.js';

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
    describeApi(swagger);
    return WebhookRootModule.with(options);
  }

  /**
   * Takes the options late, such as from a configuration service; those of {@link WebhookModuleStructure} go beside
   * `useFactory`.
   *
   * @throws ConfigError naming every option here that is wrong. What `useFactory` returns is checked at the start.
   */
  static forRootAsync(options: WebhookModuleAsyncOptions): DynamicModule {
    describeApi(swagger);
    return WebhookRootModule.withLate(options);
  }
}
