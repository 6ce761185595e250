import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookOverdue1795219239000 implements MigrationInterface {
  name = 'CreateWebhookOverdue1795219239000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_overdue (
          id varchar(36) NOT NULL,
          PRIMARY KEY (id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_overdue (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_overdue`);
  }
}
