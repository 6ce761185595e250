import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookIdempotency1795219207000 implements MigrationInterface {
  name = 'CreateWebhookIdempotency1795219207000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, id, text, time } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_idempotency',
      columns: [
        ascii('hash', 64, { isPrimary: true }),
        ascii('request_hash', 64),
        id('subject_id'),
        text('sealed_answer', { isNullable: true }),
        time('created_at'),
      ],
      indices: [{ name: 'webhook_idempotency_age', columnNames: ['created_at'] }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_idempotency');
  }
}
