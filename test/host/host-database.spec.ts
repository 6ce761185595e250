import { describe, expect, it } from '@jest/globals';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { getDataSourceToken, getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm';
import {
  type DataSource,
  type DataSourceOptions,
  Entity,
  type EntitySubscriberInterface,
  EventSubscriber,
  PrimaryColumn,
  type Repository,
} from 'typeorm';
import {
  type WebhookDatabaseAsyncOptions,
  WebhookModule,
  WebhookService,
  webhookDatabase,
} from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { HOST_KEYS } from '../support/host.js';

const WEBHOOK = { name: 'CRM', url: 'https://crm.example.com/hooks' };

@Entity()
class Invoice {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  id!: string;
}

/** Knows the URL only when the application starts, as a service that reads a secret store does. */
@Injectable()
class Secrets {
  static url = '';

  async read(): Promise<string> {
    return Secrets.url;
  }
}

@Module({ providers: [Secrets], exports: [Secrets] })
class SecretsModule {}

const late: Pick<WebhookDatabaseAsyncOptions, 'imports' | 'inject' | 'useFactory'> = {
  imports: [SecretsModule],
  inject: [Secrets],
  useFactory: (secrets: Secrets) => secrets.read(),
};

describe.each(databases)('webhookDatabase in an application on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');

  async function start(
    options: ReturnType<typeof webhookDatabase>,
    name?: string,
  ): Promise<INestApplicationContext> {
    Secrets.url = database.url;
    const app = await NestFactory.createApplicationContext(
      {
        module: class HostModule {},
        imports: [
          EventEmitterModule.forRoot(),
          TypeOrmModule.forRootAsync(options),
          TypeOrmModule.forFeature([Invoice], name),
          WebhookModule.forRoot({
            encryptionKeys: HOST_KEYS,
            role: 'api',
            ...(name === undefined ? {} : { dataSource: name }),
          }),
        ],
      },
      { logger: false, abortOnError: false },
    );
    await app.init();
    database.defer(() => app.close());
    return app;
  }

  async function keepsInvoicesAndWebhooks(app: INestApplicationContext, name?: string): Promise<void> {
    const { manager } = app.get<DataSource>(getDataSourceToken(name));
    await manager.query('CREATE TABLE invoice (id VARCHAR(40) PRIMARY KEY)');
    const invoices = app.get<Repository<Invoice>>(getRepositoryToken(Invoice, name));
    await invoices.insert({ id: 'inv_1' });
    expect(await invoices.find()).toEqual([{ id: 'inv_1' }]);
    const { id } = await app.get(WebhookService).create('ada', WEBHOOK);
    expect(await app.get(WebhookService).find('ada', id)).toMatchObject({ url: WEBHOOK.url });
  }

  it('takes a URL that is known late, and the entities that forFeature registers', async () => {
    await keepsInvoicesAndWebhooks(await start(webhookDatabase({ ...late, autoLoadEntities: true })));
  });

  it('does so for a data source with a name and a table prefix as well', async () => {
    const options = { name: 'second', tablePrefix: 'acme_', autoLoadEntities: true };
    const app = await start(webhookDatabase({ ...late, ...options }), 'second');
    await keepsInvoicesAndWebhooks(app, 'second');
    const rows = await app.get<DataSource>(getDataSourceToken('second')).query('SELECT * FROM acme_webhook');
    expect(rows).toHaveLength(1);
  });

  it('adds the entities of forFeature to those that are listed, and takes a URL with a line break behind', async () => {
    const options = { entities: [Invoice], autoLoadEntities: true };
    await keepsInvoicesAndWebhooks(await start(webhookDatabase(`${database.url}\n`, options)));
  });

  it('lets the options that come late win, except where they are undefined', async () => {
    const made = webhookDatabase({
      migrationsRun: false,
      logging: ['error'],
      useFactory: () => ({ url: database.url, migrationsRun: true, logging: undefined }),
    });
    expect(await made.useFactory?.()).toMatchObject({ migrationsRun: true, logging: ['error'] });
  });

  it("logs statements where it is told to, and has the application's subscribers", async () => {
    const statements: string[] = [];
    const inserted: unknown[] = [];
    @EventSubscriber()
    class Watcher implements EntitySubscriberInterface<Invoice> {
      listenTo = () => Invoice;
      afterInsert = ({ entity }: { entity: Invoice }) => void inserted.push(entity);
    }
    const ignore = () => {};
    const logger: DataSourceOptions['logger'] = {
      logQuery: (sql) => void statements.push(sql),
      logQueryError: ignore,
      logQuerySlow: ignore,
      logSchemaBuild: ignore,
      logMigration: ignore,
      log: ignore,
    };
    const more = { entities: [Invoice], subscribers: [Watcher], logging: ['query'] as ['query'], logger };
    await keepsInvoicesAndWebhooks(await start(webhookDatabase(database.url, more)));
    expect(inserted).toEqual([{ id: 'inv_1' }]);
    expect(statements.filter((sql) => /INSERT INTO .invoice/i.test(sql))).toHaveLength(1);
  });
});
