import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookNotification1795219202000 implements MigrationInterface {
  name = 'CreateWebhookNotification1795219202000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, bytes, id, time, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_notification',
      columns: [
        id('id', { isPrimary: true }),
        unicode('user_id', 128),
        ascii('event_kind', 64),
        time('triggered_at'),
        ascii('traceparent', 128, { isNullable: true }),
        bytes('body'),
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_notification');
  }
}
