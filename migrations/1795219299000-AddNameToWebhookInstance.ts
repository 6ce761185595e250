import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class AddNameToWebhookInstance1795219299000 implements MigrationInterface {
  name = 'AddNameToWebhookInstance1795219299000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    const index = `CREATE UNIQUE INDEX ${prefix}webhook_instance_name ON ${prefix}webhook_instance (name)`;
    await execute(runner, {
      sqlite: [`ALTER TABLE ${prefix}webhook_instance ADD COLUMN name varchar(64) NULL`, index],
      mysql: [
        `ALTER TABLE ${prefix}webhook_instance ADD COLUMN name varchar(64) CHARACTER SET ascii COLLATE ascii_bin NULL`,
        index,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    const index = `${prefix}webhook_instance_name`;
    await execute(runner, {
      sqlite: [`DROP INDEX ${index}`],
      mysql: [`DROP INDEX ${index} ON ${prefix}webhook_instance`],
    });
    await runner.query(`ALTER TABLE ${prefix}webhook_instance DROP COLUMN name`);
  }
}
