import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhook1795219200000 implements MigrationInterface {
  name = 'CreateWebhook1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    const { boolean, id, time, text, ascii, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook',
      columns: [
        id('id', { isPrimary: true }),
        unicode('user_id', 128),
        unicode('name', 128),
        unicode('url', 2048),
        boolean('enabled'),
        unicode('description', 1024, { isNullable: true }),
        text('sealed_headers'),
        ascii('sealed_secret', 512),
        ascii('disabled_reason', 16, { isNullable: true }),
        time('failing_since', { isNullable: true }),
        time('created_at'),
        time('updated_at'),
      ],
      indices: [{ name: 'webhook_user', columnNames: ['user_id', 'id'] }],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook');
  }
}
