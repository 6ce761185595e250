import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

/**
 * A list of secrets that sign beside the newest, each until its own end. One that signs as this runs ends with it: a
 * migration has no key to seal it anew with.
 */
export class KeepWebhookPreviousSecrets1795219224200 implements MigrationInterface {
  name = 'KeepWebhookPreviousSecrets1795219224200';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii } = migrationColumns(runner);
    const { addColumns, query } = tables(runner);
    for (const column of ['sealed_previous_secret', 'previous_secret_expires_at'])
      await query(`ALTER TABLE webhook DROP COLUMN ${column}`);
    await addColumns('webhook', [ascii('sealed_previous_secrets', 2048, { isNullable: true })]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const { ascii, time } = migrationColumns(runner);
    const { addColumns, query } = tables(runner);
    await query('ALTER TABLE webhook DROP COLUMN sealed_previous_secrets');
    await addColumns('webhook', [
      ascii('sealed_previous_secret', 512, { isNullable: true }),
      time('previous_secret_expires_at', { isNullable: true }),
    ]);
  }
}
