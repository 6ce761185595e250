import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookOrderingMark1795219242000 implements MigrationInterface {
  name = 'CreateWebhookOrderingMark1795219242000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_ordering_mark (
          "id" integer PRIMARY KEY AUTOINCREMENT NOT NULL,
          trigger_id varchar(36) NOT NULL
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_ordering_mark (
          id bigint NOT NULL AUTO_INCREMENT,
          trigger_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_ordering_mark`);
  }
}
