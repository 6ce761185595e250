import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class AddProcessToWebhookInstance1795219290000 implements MigrationInterface {
  name = 'AddProcessToWebhookInstance1795219290000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [`ALTER TABLE ${prefix}webhook_instance ADD COLUMN process varchar(80) NULL`],
      mysql: [
        `ALTER TABLE ${prefix}webhook_instance ADD COLUMN process varchar(80) CHARACTER SET ascii COLLATE ascii_bin NULL`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${tablePrefix(runner)}webhook_instance DROP COLUMN process`);
  }
}
