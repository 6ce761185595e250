import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookGroupHead1795219243000 implements MigrationInterface {
  name = 'CreateWebhookGroupHead1795219243000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_group_head (
          ordering_key varchar(43) NOT NULL,
          trigger_id varchar(36) NOT NULL,
          PRIMARY KEY (ordering_key)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_group_head (
          ordering_key varchar(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          trigger_id char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          PRIMARY KEY (ordering_key)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_group_head`);
  }
}
