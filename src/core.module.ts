import { type DynamicModule, Global, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { CLOCK, systemClock } from './common/clock.js';
import { Vault } from './common/vault.js';
import { ConfigError } from './config/config-error.js';
import { SETTINGS, type Settings } from './config/settings.js';
import { Database } from './database/database.js';
import { Connector } from './egress/connector.js';
import { PolicyUrlJudge, URL_JUDGE } from './egress/url-judge.js';
import { EventKinds } from './event/event-kinds.js';
import { checkTables } from './schema/missing-tables.js';
import { EncryptionKeyRepository } from './webhook/secret/encryption-key.repository.js';
import { EncryptionKeyCheck } from './webhook/secret/encryption-key-check.js';
import { settingsOf, vaultKeysOf, type WebhookModuleOptions } from './webhook-options.js';

/** @param options the injection token of the module's options. */
const providersFrom = (options: string | symbol): Provider[] => {
  // After the settings, which check the options.
  const from = <T>(make: (given: WebhookModuleOptions) => T) => ({
    inject: [options, SETTINGS],
    useFactory: make,
  });
  return [
    { provide: SETTINGS, inject: [options], useFactory: settingsOf },
    { provide: CLOCK, ...from(({ clock }) => clock ?? systemClock) },
    { provide: Vault, ...from((given) => new Vault(vaultKeysOf(given))) },
    { provide: EventKinds, ...from(({ eventKinds }) => new EventKinds(eventKinds)) },
    {
      provide: Connector,
      inject: [SETTINGS],
      useFactory: ({ egress }: Settings) => new Connector({ egress }),
    },
    {
      provide: URL_JUDGE,
      inject: [SETTINGS, Connector],
      useFactory: ({ egress }: Settings, connector: Connector) => new PolicyUrlJudge(egress, connector),
    },
  ];
};

const missingDataSource = (name: string | undefined) =>
  name === undefined
    ? 'dataSource: there is no unnamed TypeORM data source; import TypeOrmModule.forRootAsync(webhookDatabase(url)), or name yours with the option dataSource of WebhookModule'
    : `dataSource: there is no TypeORM data source named "${name}"; give it that name, as in webhookDatabase(url, { name: '${name}' })`;

/** Providers that every part of the module uses. Global, so that the parts need not import them one by one. */
@Global()
@Module({})
export class CoreModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly keys: EncryptionKeyCheck,
  ) {}

  /** Checks the tables before anything reads them, and the keys before they open or seal anything. */
  async onModuleInit(): Promise<void> {
    await checkTables(this.database.dataSource);
    await this.keys.run();
  }

  /**
   * @param given imports and providers that supply the options.
   * @param options the injection token of the options.
   * @param dataSource the name of the TypeORM data source; undefined for the default one.
   */
  static with(
    given: Pick<DynamicModule, 'imports' | 'providers'>,
    options: string | symbol,
    dataSource: string | undefined,
  ): DynamicModule {
    return {
      module: CoreModule,
      imports: given.imports ?? [],
      providers: [
        ...(given.providers ?? []),
        ...providersFrom(options),
        EncryptionKeyRepository,
        EncryptionKeyCheck,
        {
          provide: Database,
          inject: [{ token: getDataSourceToken(dataSource), optional: true }],
          useFactory: (source: DataSource | undefined) => {
            if (source) return new Database(source);
            throw new ConfigError([missingDataSource(dataSource)]);
          },
        },
      ],
      exports: [Database, SETTINGS, CLOCK, Vault, EventKinds, Connector, URL_JUDGE],
    };
  }
}
