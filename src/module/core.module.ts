import { type DynamicModule, Global, Module, type OnModuleInit, type Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { EventKinds } from '../event/event-kinds.js';
import { Jobs } from '../jobs/jobs.js';
import { DepartedUsers } from '../move/departed-users.js';
import { UserMoves } from '../move/user-move.repository.js';
import { initialiseFirst } from '../nest/initialised-first.js';
import { PolicyUrlJudge, URL_JUDGE } from '../network/address/url-judge.js';
import { Connector } from '../network/connector.js';
import { CLOCK, type Clock, systemClock } from '../platform/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { EMITTER } from '../platform/emitter.js';
import { Vault } from '../platform/secret/vault.js';
import { Start } from '../platform/start.js';
import { AnswerCapacity } from '../rest/large-answer/answer-capacity.js';
import { Database } from '../store/database.js';
import { checkServer } from '../store/mysql/server-check.js';
import { checkTables } from '../store/schema/missing-tables.js';
import { EncryptionKeyRepository } from '../webhook/secret/encryption-key.repository.js';
import { EncryptionKeyCheck } from '../webhook/secret/encryption-key-check.js';
import { checkedSettings, vaultKeysOf, type WebhookModuleOptions } from './webhook-options.js';

/** @param options the injection token of the module's options. */
const providersFrom = (options: string | symbol): Provider[] => {
  // After the settings, which check the options.
  const from = <T>(make: (given: WebhookModuleOptions) => T) => ({
    inject: [options, SETTINGS],
    useFactory: make,
  });
  return [
    { provide: SETTINGS, inject: [options], useFactory: checkedSettings },
    { provide: CLOCK, ...from(({ clock }) => clock ?? systemClock) },
    { provide: Vault, ...from((given) => new Vault(vaultKeysOf(given))) },
    { provide: EventKinds, ...from(({ eventKinds }) => new EventKinds(eventKinds)) },
    {
      provide: Connector,
      inject: [SETTINGS, CLOCK],
      useFactory: ({ egress }: Settings, clock: Clock) => new Connector({ egress, clock }),
    },
    {
      provide: URL_JUDGE,
      inject: [SETTINGS, Connector],
      useFactory: ({ egress }: Settings, connector: Connector) => new PolicyUrlJudge(egress, connector),
    },
  ];
};

/** @throws Error if the application does not have the data source. */
function withoutDataSource(name: string | undefined, modules: ModulesContainer): Promise<Database> {
  const token = getDataSourceToken(name);
  // Nest injects nothing for one that did not open, either. Its own error ends the start.
  if ([...modules.values()].some(({ providers }) => providers.has(token))) return new Promise(() => {});
  throw new Error(
    name === undefined
      ? 'WebhookModule needs a data source: import TypeOrmModule.forRootAsync(webhookDatabase(url)) beside it. If yours ' +
          'has a name, pass that to WebhookModule as the option dataSource.'
      : `There is no data source with the name "${name}", which WebhookModule got as its option dataSource: give it to ` +
          `one, as in TypeOrmModule.forRootAsync(webhookDatabase(url, { name: '${name}' })), or leave the option out.`,
  );
}

/** @throws Error if the application has no emitter. */
function givenEmitter(emitter: EventEmitter2 | undefined): EventEmitter2 {
  if (emitter) return emitter;
  throw new Error('WebhookModule needs an EventEmitter2: import EventEmitterModule.forRoot() beside it.');
}

/** Providers that every part of the module uses. Global, so that the parts need not import them one by one. */
@Global()
@Module({})
export class CoreModule implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly keys: EncryptionKeyCheck,
    private readonly start: Start,
    modules: ModulesContainer,
  ) {
    // What an application's own modules emit in onModuleInit has to find the start over.
    initialiseFirst(CoreModule, modules);
  }

  /** Checks the tables and the server before anything reads them, and the keys before they open or seal anything. */
  async onModuleInit(): Promise<void> {
    await checkTables(this.database.dataSource);
    await checkServer(this.database);
    await this.keys.run();
    this.start.end();
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
        Start,
        Jobs,
        EncryptionKeyRepository,
        EncryptionKeyCheck,
        UserMoves,
        DepartedUsers,
        AnswerCapacity,
        {
          provide: Database,
          inject: [{ token: getDataSourceToken(dataSource), optional: true }, ModulesContainer],
          useFactory: (source: DataSource | undefined, modules: ModulesContainer) =>
            source ? new Database(source) : withoutDataSource(dataSource, modules),
        },
        { provide: EMITTER, inject: [{ token: EventEmitter2, optional: true }], useFactory: givenEmitter },
      ],
      exports: [
        Database,
        UserMoves,
        DepartedUsers,
        AnswerCapacity,
        EMITTER,
        Start,
        Jobs,
        SETTINGS,
        CLOCK,
        Vault,
        EventKinds,
        Connector,
        URL_JUDGE,
      ],
    };
  }
}
