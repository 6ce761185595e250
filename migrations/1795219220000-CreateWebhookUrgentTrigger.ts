import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

/** The marks of triggers that were asked for by hand. */
export class CreateWebhookUrgentTrigger1795219220000 implements MigrationInterface {
  name = 'CreateWebhookUrgentTrigger1795219220000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_urgent_trigger',
      columns: [ascii('id', 36, { isPrimary: true })],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_urgent_trigger');
  }
}
