import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource, MigrationInterface } from 'typeorm';
import { webhookMigrations } from '../../../migrations/index.js';
import { WebhookModule, webhookDatabase } from '../../../src/index.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { HOST_KEYS, hostDataSource, startHost } from '../../support/host.js';
import { production, spawnService } from '../support/process.js';

/** What a version from before the first release recorded; the last two are gone, and the others were rewritten. */
const DEVELOPMENT = [
  'CreateWebhook1795219200000',
  'CreateWebhookNotification1795219202000',
  'CreateWebhookTrigger1795219203000',
  'FixWebhookTriggerRowLength1795219212000',
  'CreateWebhookRequestHead1795219213000',
];
const REFUSED =
  /made by a development version: .*\(FixWebhookTriggerRowLength1795219212000, CreateWebhookRequestHead1795219213000\).*begin with an empty database/;

const run = promisify(execFile);

/** One of the application's own, whose number is among those of the development. */
class AddInvoice1795219212345 implements MigrationInterface {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

describe.each(databases)('a database on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  async function open<T>(use: (dataSource: DataSource) => Promise<T>): Promise<T> {
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    try {
      return await use(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  const record = (names: string[], table = 'webhook_migration') =>
    open(async (dataSource) => {
      const id = kind.name === 'SQLite' ? 'INTEGER PRIMARY KEY' : 'int AUTO_INCREMENT PRIMARY KEY';
      await dataSource.query(
        `CREATE TABLE IF NOT EXISTS ${table} (id ${id}, timestamp bigint NOT NULL, name varchar(255) NOT NULL)`,
      );
      for (const name of names)
        await dataSource.query(`INSERT INTO ${table} (timestamp, name) VALUES (?, ?)`, [
          name.slice(-13),
          name,
        ]);
    });
  const migrate = () => open((dataSource) => dataSource.runMigrations());
  const tables = () =>
    open(async (dataSource) => {
      const sql =
        kind.name === 'SQLite'
          ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
          : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = database()';
      return (await dataSource.query<{ name: string }[]>(sql)).map(({ name }) => name);
    });
  const start = (dataSource = TypeOrmModule.forRootAsync(webhookDatabase(database.url))) =>
    startHost({
      adapter: 'Fastify',
      database: dataSource,
      webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
    });

  describe('of a development version', () => {
    it('is refused by the service before anything runs on it, again and again', async () => {
      await record(DEVELOPMENT);
      for (const env of [{}, production, production]) {
        const service = await spawnService({ ...env, DATABASE_URL: database.url });
        expect(await service.exited).toEqual({ code: 1, signal: null });
        expect(service.output).toMatch(REFUSED);
        expect(service.output).not.toMatch(/migration:run|webhookMigrations|at .*\.js/);
      }
      expect(await tables()).toEqual(['webhook_migration']);
    });

    it('is refused by migration:run, and migration:show names what it does not know', async () => {
      await record(DEVELOPMENT);
      const command = (name: string) =>
        run(process.execPath, ['dist/service/bundle/migrate.cjs', name], {
          env: { ...process.env, DATABASE_URL: database.url },
        });
      await expect(command('run')).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(REFUSED) });
      expect(await tables()).toEqual(['webhook_migration']);
      expect((await command('show')).stdout).toContain(
        '[?] FixWebhookTriggerRowLength1795219212000, which this version does not have',
      );
    });

    it('is refused by an application before anything runs on it', async () => {
      await record(DEVELOPMENT);
      await expect(start()).rejects.toThrow(REFUSED);
      expect(await tables()).toEqual(['webhook_migration']);
    });

    it('is refused by an application with a data source of its own', async () => {
      await record(DEVELOPMENT);
      const own = TypeOrmModule.forRoot({ ...hostDataSource(database.url), migrationsRun: false });
      await expect(start(own)).rejects.toThrow(REFUSED);
    });

    it('is refused with the reason where all migrations ran on tables that are not theirs', async () => {
      await migrate();
      await open((dataSource) => dataSource.query('ALTER TABLE webhook_notification DROP COLUMN hops'));
      await expect(start()).rejects.toThrow(
        /All migrations of this version ran .*lack something \(.*hops.*\).*begin with an empty/,
      );
    });
  });

  it('of a later version is taken, as while instances are replaced one after another', async () => {
    await migrate();
    await record(['AddSomethingToWebhook1800000000000']);
    const host = await start();
    expect((await host.call('GET', '/v1/webhook/list')).status).toBe(401);
    await host.app.close();
    await record(['AddMoreToWebhook1800000000001']);
    await migrate();
  });

  it("with the application's own migrations in the same table is taken, also those that are gone", async () => {
    await record(
      ['CreateInvoice1700000000000', AddInvoice1795219212345.name, 'DropInvoice1893456000000'],
      'mine',
    );
    const host = await start(
      TypeOrmModule.forRootAsync(
        webhookDatabase(database.url, { migrations: [AddInvoice1795219212345], migrationsTableName: 'mine' }),
      ),
    );
    await host.app.close();
  });
});

describe('migrations', () => {
  it('that come after those of the development have higher numbers', () => {
    const numbers = webhookMigrations.map(({ name }) => Number(name.slice(-13)));
    const last = numbers.indexOf(1795219280000);
    expect(last).toBeGreaterThan(0);
    expect(Math.min(Number.POSITIVE_INFINITY, ...numbers.slice(last + 1))).toBeGreaterThan(1795219280000);
  });
});
