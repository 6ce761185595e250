import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

/** The secret before a rotation, which signs beside the new one until it expires. */
export class AddWebhookPreviousSecret1795219210000 implements MigrationInterface {
  name = 'AddWebhookPreviousSecret1795219210000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, time } = migrationColumns(runner);
    const nullable = { isNullable: true };
    await tables(runner).addColumns('webhook', [
      ascii('sealed_previous_secret', 512, nullable),
      time('previous_secret_expires_at', nullable),
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const column of ['sealed_previous_secret', 'previous_secret_expires_at'])
      await tables(runner).query(`ALTER TABLE webhook DROP COLUMN ${column}`);
  }
}
