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
          cause varchar(8) NOT NULL DEFAULT 'schedule',
          error_detail varchar(1024) NULL,
          PRIMARY KEY (trigger_id, number)
        )`,
        `CREATE TABLE ${prefix}webhook_request_head (
          id varchar(22) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          sealed_head text NOT NULL,
          stored_at bigint NOT NULL,
          PRIMARY KEY (id)
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
          cause varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'schedule',
          error_detail varchar(1024) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          PRIMARY KEY (trigger_id, number)
        ) ENGINE=InnoDB`,
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
    const prefix = tablePrefix(runner);
    await runner.query(`DROP TABLE ${prefix}webhook_request_head`);
    await runner.query(`DROP TABLE ${prefix}webhook_attempt`);
  }
}
