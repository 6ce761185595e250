import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookInstance1795219205000 implements MigrationInterface {
  name = 'CreateWebhookInstance1795219205000';

  async up(runner: QueryRunner): Promise<void> {
    const { id, time } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_instance',
      columns: [id('id', { isPrimary: true }), time('started_at'), time('heartbeat_at')],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_instance');
  }
}
