import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { TypeOrmModule } from '@nestjs/typeorm';
import { LoggerModule } from 'nestjs-pino';
import { EngineModule } from '../engine/engine.module.js';
import { ATTEMPT_LOG } from '../engine/report/attempt-log.js';
import { WebhookRootModule } from '../module/webhook-root.module.js';
import { developmentKeys } from '../platform/config/encryption-key-file.js';
import type { ServiceConfig } from '../platform/config/service-config.js';
import { settings } from '../platform/config/settings.js';
import { ProblemFilter } from '../rest/problem.filter.js';
import { RetentionModule } from '../retention/retention.module.js';
import { webhookDatabase } from '../store/schema/webhook-database.js';
import { HealthController } from './health/health.controller.js';
import { WideAttemptLog } from './http/attempt-log.js';
import { loggerOptions } from './http/logger-options.js';
import { MetricsController } from './metrics/metrics.controller.js';
import { MetricsService } from './metrics/metrics.service.js';
import { TroubleRepository } from './metrics/trouble.repository.js';

/**
 * The service: what `WebhookModule` has (`WebhookRootModule`, the table of contents), with the logging, database, metrics and
 * health checks that a host would bring.
 */
@Module({})
export class AppModule {
  static async with(config: ServiceConfig): Promise<DynamicModule> {
    const hasApi = config.role !== 'worker';
    return {
      module: AppModule,
      // So that the delivery finds the log exported here.
      global: true,
      imports: [
        LoggerModule.forRoot(await loggerOptions(config)),
        EventEmitterModule.forRoot(),
        // `createApp` runs them.
        TypeOrmModule.forRootAsync(webhookDatabase(config.databaseUrl, { migrationsRun: false })),
        // Imported directly because the health checks and metrics need providers that `WebhookRootModule` does not export.
        EngineModule,
        RetentionModule,
        WebhookRootModule.with({
          ...settings.parse(config),
          routes: hasApi,
          console: hasApi && config.console,
          encryptionKeys: config.encryptionKeys ?? developmentKeys(),
        }),
      ],
      controllers: config.metrics ? [HealthController, MetricsController] : [HealthController],
      providers: [
        ...(config.metrics ? [MetricsService, TroubleRepository] : []),
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: ATTEMPT_LOG, useValue: new WideAttemptLog(config) },
      ],
      exports: [ATTEMPT_LOG],
    };
  }
}
