import { describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
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
import { WebhookService, webhookDatabase } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { context, valid, webhookModule } from './application.js';

@Entity()
class Invoice {
  @PrimaryColumn({ type: 'varchar', length: 40 })
  id!: string;
}

describe.each(databases)('webhookDatabase in an application on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');

  /** A URL that is known only when the application starts, as with a service that reads a secret store. */
  const late = () => {
    const secrets = { provide: 'SECRETS', useValue: { read: async () => database.url } };
    return {
      imports: [{ module: class SecretsModule {}, providers: [secrets], exports: ['SECRETS'] }],
      inject: ['SECRETS'],
      useFactory: ({ read }: typeof secrets.useValue) => read(),
    };
  };

  async function start(options: ReturnType<typeof webhookDatabase>): Promise<INestApplicationContext> {
    const app = await context(
      TypeOrmModule.forRootAsync(options),
      TypeOrmModule.forFeature([Invoice], options.name),
      webhookModule({ ...valid, dataSource: options.name }),
    );
    database.defer(() => app.close());
    return app;
  }

  async function keepsInvoicesAndWebhooks(app: INestApplicationContext, name?: string): Promise<void> {
    await app
      .get<DataSource>(getDataSourceToken(name))
      .query('CREATE TABLE invoice (id VARCHAR(40) PRIMARY KEY)');
    const invoices = app.get<Repository<Invoice>>(getRepositoryToken(Invoice, name));
    await invoices.insert({ id: 'inv_1' });
    expect(await invoices.find()).toEqual([{ id: 'inv_1' }]);
    const webhook = { name: 'CRM', url: 'https://crm.example.com/hooks' };
    const { id } = await app.get(WebhookService).create('ada', webhook);
    expect(await app.get(WebhookService).find('ada', id)).toMatchObject({ url: webhook.url });
  }

  it('takes a URL that is known late, and the entities that forFeature registers', async () => {
    await keepsInvoicesAndWebhooks(await start(webhookDatabase({ ...late(), autoLoadEntities: true })));
  });

  it('does so for a data source with a name and a table prefix as well', async () => {
    const options = { name: 'second', tablePrefix: 'acme_', autoLoadEntities: true };
    const app = await start(webhookDatabase({ ...late(), ...options }));
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
    const logger = {
      logQuery: (sql: string) => void statements.push(sql),
      logSchemaBuild() {},
      logMigration() {},
    } as Partial<DataSourceOptions['logger'] & object> as DataSourceOptions['logger'];
    const options = { entities: [Invoice], subscribers: [Watcher], logging: ['query'] as ['query'], logger };
    await keepsInvoicesAndWebhooks(await start(webhookDatabase(database.url, options)));
    expect(inserted).toEqual([{ id: 'inv_1' }]);
    expect(statements.filter((sql) => /INSERT INTO .invoice/i.test(sql))).toHaveLength(1);
  });
});
