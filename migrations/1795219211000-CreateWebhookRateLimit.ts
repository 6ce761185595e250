import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookRateLimit1795219211000 implements MigrationInterface {
  name = 'CreateWebhookRateLimit1795219211000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, integer, time } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_rate_limit',
      columns: [
        time('window_start', { isPrimary: true }),
        ascii('client_hash', 64, { isPrimary: true }),
        integer('calls'),
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_rate_limit');
  }
}
