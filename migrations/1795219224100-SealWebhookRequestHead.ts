import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../src/database/columns.js';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

/**
 * What is kept of a request is sealed. What was kept in the clear goes, as a migration has no key to seal it with; its
 * attempts stay, without their requests.
 */
export class SealWebhookRequestHead1795219224100 implements MigrationInterface {
  name = 'SealWebhookRequestHead1795219224100';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, id, text, time } = migrationColumns(runner);
    await forget(runner);
    await tables(runner).create({
      name: 'webhook_request_head',
      columns: [
        ascii('id', 22, { isPrimary: true }),
        id('webhook_id'),
        text('sealed_head'),
        time('stored_at'),
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const { ascii, text } = migrationColumns(runner);
    await forget(runner);
    await tables(runner).create({
      name: 'webhook_request_head',
      columns: [ascii('id', 22, { isPrimary: true }), text('head')],
    });
  }
}

async function forget(runner: QueryRunner): Promise<void> {
  // Otherwise it would stay in pages that SQLite has no more use for.
  if (dialectOf(runner.dataSource) === 'sqlite') await runner.query('PRAGMA secure_delete = ON');
  await tables(runner).query('UPDATE webhook_attempt SET request = NULL, request_head = NULL');
  await tables(runner).query('DELETE FROM webhook_request_head');
  await tables(runner).drop('webhook_request_head');
}
