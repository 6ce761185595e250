import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookRequestHead1795219213000 implements MigrationInterface {
  name = 'CreateWebhookRequestHead1795219213000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_request_head (
          id varchar(22) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          sealed_head text NOT NULL,
          stored_at bigint NOT NULL,
          PRIMARY KEY (id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_request_head (
          id varchar(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          sealed_head text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          stored_at bigint NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_request_head`);
  }
}
