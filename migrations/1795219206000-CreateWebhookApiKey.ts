import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookApiKey1795219206000 implements MigrationInterface {
  name = 'CreateWebhookApiKey1795219206000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, id, time, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_api_key',
      columns: [
        id('id', { isPrimary: true }),
        unicode('user_id', 128),
        unicode('name', 128, { isNullable: true }),
        ascii('scopes', 128),
        ascii('hash', 64),
        time('created_at'),
        time('last_used_at', { isNullable: true }),
      ],
      indices: [{ name: 'webhook_api_key_hash', columnNames: ['hash'], isUnique: true }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_api_key');
  }
}
