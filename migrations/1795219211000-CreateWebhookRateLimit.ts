import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';

export class CreateWebhookRateLimit1795219211000 implements MigrationInterface {
  name = 'CreateWebhookRateLimit1795219211000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, integer, time } = migrationColumns(runner);
    await runner.createTable(
      new Table({
        name: 'webhook_rate_limit',
        columns: [
          time('window_start', { isPrimary: true }),
          ascii('client_hash', 64, { isPrimary: true }),
          integer('calls'),
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('webhook_rate_limit');
  }
}
