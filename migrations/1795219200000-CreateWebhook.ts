import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhook1795219200000 implements MigrationInterface {
  name = 'CreateWebhook1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook (
          id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          name varchar(128) NOT NULL,
          url varchar(2048) NOT NULL,
          enabled boolean NOT NULL,
          description varchar(1024) NULL,
          sealed_headers text NOT NULL,
          sealed_secret varchar(512) NOT NULL,
          disabled_reason varchar(16) NULL,
          failing_since bigint NULL,
          created_at bigint NOT NULL,
          updated_at bigint NOT NULL,
          generation integer NOT NULL DEFAULT 0,
          failing_quarters integer NOT NULL DEFAULT 0,
          untold_since bigint NULL,
          sealed_previous_secrets varchar(2048) NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_user ON ${prefix}webhook (user_id, id)`,
        `CREATE INDEX ${prefix}webhook_untold ON ${prefix}webhook (untold_since)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          name varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          url varchar(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          enabled tinyint(1) NOT NULL,
          description varchar(1024) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          sealed_headers text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          sealed_secret varchar(512) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          disabled_reason varchar(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
          failing_since bigint NULL,
          created_at bigint NOT NULL,
          updated_at bigint NOT NULL,
          generation int NOT NULL DEFAULT 0,
          failing_quarters int NOT NULL DEFAULT 0,
          untold_since bigint NULL,
          sealed_previous_secrets varchar(2048) CHARACTER SET ascii COLLATE ascii_bin NULL,
          PRIMARY KEY (id),
          INDEX ${prefix}webhook_user (user_id, id),
          INDEX ${prefix}webhook_untold (untold_since)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook`);
  }
}
