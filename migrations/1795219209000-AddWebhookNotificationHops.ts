import type { MigrationInterface, QueryRunner } from 'typeorm';
import { tables } from '../src/database/migration-tables.js';

/** By SQL of its own: TypeORM would copy the whole table on SQLite. */
export class AddWebhookNotificationHops1795219209000 implements MigrationInterface {
  name = 'AddWebhookNotificationHops1795219209000';

  async up(runner: QueryRunner): Promise<void> {
    await tables(runner).query('ALTER TABLE webhook_notification ADD COLUMN hops integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).query('ALTER TABLE webhook_notification DROP COLUMN hops');
  }
}
