import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

export class CreateWebhookEvent1795219201000 implements MigrationInterface {
  name = 'CreateWebhookEvent1795219201000';

  async up(runner: QueryRunner): Promise<void> {
    const { boolean, id, time, ascii, unicode } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_event',
      columns: [
        id('id', { isPrimary: true }),
        id('webhook_id'),
        unicode('user_id', 128),
        ascii('kind', 64),
        boolean('enabled'),
        time('created_at'),
      ],
      indices: [
        { name: 'webhook_event_kind', columnNames: ['webhook_id', 'kind'], isUnique: true },
        { name: 'webhook_event_subscription', columnNames: ['user_id', 'kind'] },
      ],
      foreignKeys: [
        {
          name: 'webhook_event_of',
          columnNames: ['webhook_id'],
          referencedTableName: 'webhook',
          referencedColumnNames: ['id'],
          onDelete: 'CASCADE',
          onUpdate: 'CASCADE',
        },
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await tables(runner).drop('webhook_event');
  }
}
