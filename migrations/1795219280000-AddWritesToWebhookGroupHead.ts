import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class AddWritesToWebhookGroupHead1795219280000 implements MigrationInterface {
  name = 'AddWritesToWebhookGroupHead1795219280000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [`ALTER TABLE ${prefix}webhook_group_head ADD COLUMN writes integer NOT NULL DEFAULT 0`],
      mysql: [`ALTER TABLE ${prefix}webhook_group_head ADD COLUMN writes int NOT NULL DEFAULT 0`],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${tablePrefix(runner)}webhook_group_head DROP COLUMN writes`);
  }
}
