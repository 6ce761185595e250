import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookChange1795219250000 implements MigrationInterface {
  name = 'CreateWebhookChange1795219250000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_change (
          "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
          kind varchar(12) NOT NULL,
          subject_id varchar(36) NOT NULL
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_change (
          id bigint NOT NULL AUTO_INCREMENT,
          kind varchar(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          subject_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_change`);
  }
}
