import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { webhookDatabase, webhookEntities, webhookMigrations } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { type Host, hostDataSource, startHost } from '../support/host.js';
import { finished, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { webhookModule } from './application.js';

const PREFIX = 'acme_';
const TABLES = /^acme_webhook(_[a-z]+)*$/;

describe.each(databases)('tables with a prefix on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver();

  /** The data source as its author wrote it, but for some options. */
  async function connect(change: object = {}): Promise<DataSource> {
    const dataSource = new DataSource({
      ...hostDataSource(database.url.replace('mysql:', 'mariadb:'), PREFIX),
      // TypeORM reads column defaults of MariaDB correctly only under this type.
      ...(kind.name === 'MariaDB' ? { type: 'mariadb' } : {}),
      ...change,
    } as DataSourceOptions);
    database.defer(() => dataSource.isInitialized && dataSource.destroy());
    return dataSource.initialize();
  }

  async function start(source: Parameters<typeof startHost>[0]['database']): Promise<Host> {
    const webhooks = webhookModule({
      delivery: { retryScheduleMs: [0] },
      principal: () => ({ userId: 'ada', scopes: ['admin'] }),
    });
    const host = await startHost({ adapter: 'Fastify', database: source, webhooks });
    database.defer(() => host.app.close());
    return host;
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
    const dataSource = await connect();
    const drift = await dataSource.driver.createSchemaBuilder().log();
    expect(drift.upQueries.map(({ query }) => query)).toEqual([]);
    const all = await names(dataSource);
    expect(all.length).toBeGreaterThan(15);
    expect(all.filter((name) => !TABLES.test(name))).toEqual([]);
    for (const _ of dataSource.migrations) await dataSource.undoLastMigration();
    expect(await names(dataSource)).toEqual([]);
  });

  it('work for deliveries, retries, recovery and deletion', async () => {
    receiver.respondWith({ status: 500 });
    const host = await start(TypeOrmModule.forRoot(hostDataSource(database.url, PREFIX)));
    const { id } = await createWebhook(host, { url: receiver.url });
    const sent = await trigger(host, 'ada');
    expect(await finished(host, sent)).toMatchObject({ status: 'FAILED', attempt_count: 2 });
    receiver.respondWith({ status: 200 });
    const since = new Date(Date.now() - 60_000).toISOString();
    const recovered = await host.call('POST', '/v1/webhook/recover', { id, since });
    expect(recovered).toMatchObject({ status: 202, body: { triggers: 1 } });
    await triggerWhen(host, sent, ({ status }) => status === 'SUCCEEDED');
    const { body: listed } = await host.call('GET', '/v1/webhook/trigger/list?include=data');
    expect(listed.data).toMatchObject([{ id: sent, status: 'SUCCEEDED' }]);
    expect((await host.call('DELETE', `/v1/webhook?id=${id}`)).status).toBe(200);
  });

  it('keep the application from starting if they are missing or outdated, and the error says what to do', async () => {
    const source = TypeOrmModule.forRootAsync(webhookDatabase(database.url, { migrationsRun: false }));
    await expect(start(source)).rejects.toThrow(
      /older than this version \(.*webhook.*\)\. Run webhookMigrations first/,
    );
    const own = await connect({ entities: [], migrations: webhookMigrations });
    await own.query('ALTER TABLE webhook_notification DROP COLUMN hops');
    await own.destroy();
    await expect(start(source)).rejects.toThrow(
      /All migrations of this version ran .*lack something \(.*hops.*\)/,
    );
  });

  it('must have a valid prefix', () => {
    expect(() => webhookEntities('sqlite', { tablePrefix: 'a; DROP TABLE b' })).toThrow('table prefix');
  });
});
