import { describe, expect, it } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { MigrationInterface } from 'typeorm';
import { WebhookModule, webhookDatabase } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { HOST_KEYS, hostDataSource, startHost } from '../support/host.js';
import { REFUSED, useRecorded } from './development.js';

/** One of the application's own, whose number is among those of the development. */
class AddInvoice1795219212345 implements MigrationInterface {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

describe.each(databases)('a database on $name', (kind) => {
  const { database, open, record, tables } = useRecorded(kind);

  const migrate = () => open((dataSource) => dataSource.runMigrations());
  const start = (dataSource = TypeOrmModule.forRootAsync(webhookDatabase(database.url))) =>
    startHost({
      adapter: 'Fastify',
      database: dataSource,
      webhooks: WebhookModule.forRoot({ encryptionKeys: HOST_KEYS }),
    });

  it('of a development version is refused by an application before anything runs on it', async () => {
    await record();
    await expect(start()).rejects.toThrow(REFUSED);
    const own = TypeOrmModule.forRoot({ ...hostDataSource(database.url), migrationsRun: false });
    await expect(start(own)).rejects.toThrow(REFUSED);
    expect(await tables()).toEqual(['webhook_migration']);
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
    const options = { migrations: [AddInvoice1795219212345], migrationsTableName: 'mine' };
    const host = await start(TypeOrmModule.forRootAsync(webhookDatabase(database.url, options)));
    await host.app.close();
  });
});
