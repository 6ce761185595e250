import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookCancellation1795219222000 implements MigrationInterface {
  name = 'CreateWebhookCancellation1795219222000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, time } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_cancellation',
      columns: [id('webhook_id', { isPrimary: true }), time('requested_at')],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_cancellation');
  }
}
