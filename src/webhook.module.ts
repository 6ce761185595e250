import { type DynamicModule, Global, Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ApiModule } from './api.module.js';
import { AuthModule } from './auth/auth.module.js';
import type { Authenticator } from './auth/authenticator.js';
import { CLOCK, type Clock, systemClock } from './common/clock.js';
import { Vault, type VaultKey } from './common/vault.js';
import { SETTINGS, type Settings } from './config/settings.js';
import { Database } from './database/database.js';
import { Connector } from './delivery/connector.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { PolicyUrlJudge } from './delivery/policy-url-judge.js';
import { EventModule } from './event/event.module.js';
import { NotifierModule } from './notifier/notifier.module.js';
import { TriggerModule } from './trigger/trigger.module.js';
import { URL_JUDGE } from './webhook/url-judge.js';
import { WebhookResourceModule } from './webhook/webhook-resource.module.js';

export interface WebhookModuleOptions {
  /** Limits, where a webhook may point, and how deliveries are made. */
  settings: Settings;
  /** Encrypt secrets and header values in the database; the first encrypts, all decrypt. */
  encryptionKeys: VaultKey[];
  /** Tells who is calling. @default API keys, with the calls that manage them */
  authenticator?: Authenticator;
  /** Whether the REST API is there. @default true */
  routes?: boolean;
  /** Name of the TypeORM data source. @default the unnamed one */
  dataSource?: string;
  /** @default the system's */
  clock?: Clock;
}

/** What every part of the module stands on; global, so that the parts need not pass it on. */
@Global()
@Module({})
class CoreModule {
  static with({ settings, encryptionKeys, dataSource, clock }: WebhookModuleOptions): DynamicModule {
    const connector = new Connector({ egress: settings.egress });
    return {
      module: CoreModule,
      providers: [
        {
          provide: Database,
          inject: [getDataSourceToken(dataSource)],
          useFactory: (source: DataSource) => new Database(source),
        },
        { provide: SETTINGS, useValue: settings },
        { provide: CLOCK, useValue: clock ?? systemClock },
        { provide: Vault, useFactory: () => new Vault(encryptionKeys) },
        { provide: Connector, useValue: connector },
        { provide: URL_JUDGE, useValue: new PolicyUrlJudge(settings.egress, connector) },
      ],
      exports: [Database, SETTINGS, CLOCK, Vault, Connector, URL_JUDGE],
    };
  }
}

/**
 * Webhooks in a Nest application: the REST API, the lifecycle events, and the delivery of notifications.
 * The application brings `TypeOrmModule`, with the entities and migrations exported here, and `EventEmitterModule`.
 */
@Module({})
export class WebhookModule {
  static forRoot(options: WebhookModuleOptions): DynamicModule {
    const parts = [WebhookResourceModule, EventModule, TriggerModule, NotifierModule, DeliveryModule];
    const auth = options.authenticator ? AuthModule.with(options.authenticator) : AuthModule.withApiKeys();
    return {
      module: WebhookModule,
      imports: [
        CoreModule.with(options),
        auth,
        ...parts,
        ...(options.routes === false ? [] : [ApiModule.with(!options.authenticator)]),
      ],
      exports: parts,
    };
  }
}
