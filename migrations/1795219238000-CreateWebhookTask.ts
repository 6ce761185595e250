import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookTask1795219238000 implements MigrationInterface {
  name = 'CreateWebhookTask1795219238000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_task (
          name varchar(32) NOT NULL,
          held_by varchar(36) NOT NULL DEFAULT '',
          position varchar(64) NOT NULL DEFAULT '',
          PRIMARY KEY (name)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_task (
          name varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          held_by char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
          position varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
          PRIMARY KEY (name)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_task`);
  }
}
