import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookNotice1795219237000 implements MigrationInterface {
  name = 'CreateWebhookNotice1795219237000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_notice (
          id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          event_kind varchar(64) NOT NULL,
          about_webhook_id varchar(36) NOT NULL,
          triggered_at bigint NOT NULL,
          hops integer NOT NULL,
          data text NOT NULL,
          PRIMARY KEY (id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_notice (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          event_kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          about_webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          triggered_at bigint NOT NULL,
          hops int NOT NULL,
          data mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_notice`);
  }
}
