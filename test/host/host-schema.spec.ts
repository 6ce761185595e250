import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import {
  NotifierService,
  WebhookModule,
  WebhookService,
  webhookDatabase,
  webhookEntities,
  webhookMigrations,
} from '../../src/index.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { HOST_KEYS, hostDataSource, startHost } from '../support/host.js';
import { startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

const PREFIX = 'acme_';
const TABLES = /^acme_webhook(_[a-z]+)*$/;

describe.each(databases)('tables with a prefix on $name', (kind) => {
  let database: TestDatabase;
  let options: DataSourceOptions;

  beforeEach(async () => {
    database = await kind.create();
    options = {
      ...hostDataSource(database.url.replace('mysql:', 'mariadb:'), PREFIX),
      // TypeORM reads column defaults of MariaDB correctly only under this type.
      ...(kind.name === 'MariaDB' ? { type: 'mariadb' } : {}),
    } as DataSourceOptions;
  });
  afterEach(() => database.drop());

  async function inspect<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
    const dataSource = await new DataSource(options).initialize();
    try {
      return await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  async function names(dataSource: DataSource): Promise<string[]> {
    const rows: Record<string, string>[] = await dataSource.query(
      kind.name === 'SQLite'
        ? `SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'`
        : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()
           UNION SELECT index_name FROM information_schema.statistics
           WHERE table_schema = DATABASE() AND index_name <> 'PRIMARY'`,
    );
    return rows.map(({ name = '' }) => name).filter((name) => name !== 'webhook_migration');
  }

  it('are created by the migrations as the entities describe them, with their indexes, and can be reverted', async () => {
    await inspect(async (dataSource) => {
      const drift = await dataSource.driver.createSchemaBuilder().log();
      expect(drift.upQueries.map(({ query }) => query)).toEqual([]);
      const all = await names(dataSource);
      expect(all.length).toBeGreaterThan(15);
      expect(all.filter((name) => !TABLES.test(name))).toEqual([]);
      for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
      expect(await names(dataSource)).toEqual([]);
    });
  });

  it('work for deliveries, retries, recovery and deletion', async () => {
    const receiver = await startReceiver();
    receiver.respondWith({ status: 500 });
    const host = await startHost({
      adapter: 'Fastify',
      database: TypeOrmModule.forRoot(hostDataSource(database.url, PREFIX)),
      webhooks: WebhookModule.forRoot({
        encryptionKeys: HOST_KEYS,
        egress: { allowPrivateNetwork: true },
        delivery: { retryScheduleMs: [0] },
        principal: () => ({ userId: 'ada', scopes: ['admin'] }),
      }),
    });
    const webhooks = host.app.get(WebhookService, { strict: false });
    const notifier = host.app.get(NotifierService, { strict: false });
    const { id } = await webhooks.create('ada', {
      name: 'w',
      url: receiver.url,
      events: ['RECORD_FINISHED'],
    });
    await notifier.notify('record.finished', { user_id: 'ada', record: { id: 'r1', analysis: [] } });
    await receiver.waitFor(2);
    const list = async () => (await host.call('GET', '/v1/webhook/trigger/list?include=data')).body.data;
    const isNow = async (status: string) => {
      await until(async () => (await list())[0].status === status, { what: status });
      expect(await list()).toMatchObject([{ status }]);
    };
    await isNow('FAILED');
    receiver.respondWith({ status: 200 });
    const since = new Date(Date.now() - 60_000).toISOString();
    const recovered = await host.call('POST', '/v1/webhook/recover', { id, since });
    expect(recovered).toMatchObject({ status: 202, body: { triggers: 1 } });
    await isNow('SUCCEEDED');
    expect((await host.call('DELETE', `/v1/webhook?id=${id}`)).status).toBe(200);
    await host.app.close();
    await receiver.close();
  });

  it('keep the application from starting if they are missing or outdated, and the error says what to do', async () => {
    const start = () =>
      startHost({
        adapter: 'Fastify',
        database: TypeOrmModule.forRootAsync(webhookDatabase(database.url, { migrationsRun: false })),
        webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
      });
    await expect(start()).rejects.toThrow(
      /older than this version \(.*webhook.*\)\. Run webhookMigrations first/,
    );
    options = { ...options, entities: [], migrations: webhookMigrations } as DataSourceOptions;
    await inspect((dataSource) => dataSource.query('ALTER TABLE webhook_notification DROP COLUMN hops'));
    await expect(start()).rejects.toThrow(/All migrations of this version ran .*lack something \(.*hops.*\)/);
  });

  it('must have a valid prefix', () => {
    expect(() => webhookEntities('sqlite', { tablePrefix: 'a; DROP TABLE b' })).toThrow('table prefix');
  });
});
