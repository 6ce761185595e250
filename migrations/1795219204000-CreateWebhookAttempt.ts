import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookAttempt1795219204000 implements MigrationInterface {
  name = 'CreateWebhookAttempt1795219204000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_attempt (
          trigger_id varchar(36) NOT NULL,
          number integer NOT NULL,
          begin_at bigint NOT NULL,
          end_at bigint NOT NULL,
          phases varchar(255) NOT NULL,
          response text NULL,
          response_body text NULL,
          error_code varchar(32) NULL,
          error_message varchar(255) NULL,
          request text NULL,
          request_head varchar(22) NULL,
          PRIMARY KEY (trigger_id, number)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_attempt (
          trigger_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          number int NOT NULL,
          begin_at bigint NOT NULL,
          end_at bigint NOT NULL,
          phases varchar(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          response text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          response_body text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          error_code varchar(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
          error_message varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          request text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          request_head varchar(22) CHARACTER SET ascii COLLATE ascii_bin NULL,
          PRIMARY KEY (trigger_id, number)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_attempt`);
  }
}
