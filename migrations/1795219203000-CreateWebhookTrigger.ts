import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookTrigger1795219203000 implements MigrationInterface {
  name = 'CreateWebhookTrigger1795219203000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, id, integer, text, time, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_trigger',
      columns: [
        id('id', { isPrimary: true }),
        id('notification_id'),
        id('webhook_id'),
        id('event_id', { isNullable: true }),
        ascii('event_kind', 64),
        unicode('user_id', 128),
        ascii('status', 12),
        integer('attempt_count', { default: 0 }),
        integer('schedule_offset', { default: 0 }),
        time('begin_at', { isNullable: true }),
        time('end_at', { isNullable: true }),
        time('next_attempt_at', { isNullable: true }),
        id('leased_by', { isNullable: true }),
        integer('lease', { default: 0 }),
        text('request', { isNullable: true }),
        text('response', { isNullable: true }),
        text('response_body', { isNullable: true }),
        ascii('error_code', 32, { isNullable: true }),
        unicode('error_message', 255, { isNullable: true }),
      ],
      indices: [
        { name: 'webhook_trigger_due', columnNames: ['status', 'next_attempt_at', 'id', 'webhook_id'] },
        { name: 'webhook_trigger_user', columnNames: ['user_id', 'id'] },
        { name: 'webhook_trigger_webhook', columnNames: ['webhook_id', 'id'] },
        { name: 'webhook_trigger_notification', columnNames: ['notification_id'] },
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_trigger');
  }
}
