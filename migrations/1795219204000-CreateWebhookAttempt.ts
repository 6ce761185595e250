import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookAttempt1795219204000 implements MigrationInterface {
  name = 'CreateWebhookAttempt1795219204000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, id, integer, text, time, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_attempt',
      columns: [
        id('trigger_id', { isPrimary: true }),
        integer('number', { isPrimary: true }),
        time('begin_at'),
        time('end_at'),
        ascii('phases', 255),
        text('response', { isNullable: true }),
        text('response_body', { isNullable: true }),
        ascii('error_code', 32, { isNullable: true }),
        unicode('error_message', 255, { isNullable: true }),
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_attempt');
  }
}
