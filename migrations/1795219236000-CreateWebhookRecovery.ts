import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookRecovery1795219236000 implements MigrationInterface {
  name = 'CreateWebhookRecovery1795219236000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_recovery (
          id varchar(36) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          state varchar(8) NOT NULL,
          since bigint NOT NULL,
          until bigint NOT NULL,
          missed boolean NOT NULL,
          per_second integer NOT NULL,
          total bigint NOT NULL,
          done bigint NOT NULL,
          position varchar(36) NOT NULL,
          counted varchar(36) NOT NULL,
          begin_at bigint NOT NULL,
          end_at bigint NOT NULL DEFAULT 0,
          running_of varchar(36) NULL,
          held_by varchar(36) NOT NULL DEFAULT '',
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_recovery_webhook ON ${prefix}webhook_recovery (webhook_id, id)`,
        `CREATE INDEX ${prefix}webhook_recovery_user ON ${prefix}webhook_recovery (user_id, id)`,
        `CREATE UNIQUE INDEX ${prefix}webhook_recovery_running ON ${prefix}webhook_recovery (running_of)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_recovery (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          state char(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          since bigint NOT NULL,
          until bigint NOT NULL,
          missed tinyint NOT NULL,
          per_second int NOT NULL,
          total bigint NOT NULL,
          done bigint NOT NULL,
          position varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          counted varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          begin_at bigint NOT NULL,
          end_at bigint NOT NULL DEFAULT 0,
          running_of varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          held_by char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
          PRIMARY KEY (id),
          INDEX ${prefix}webhook_recovery_webhook (webhook_id, id),
          INDEX ${prefix}webhook_recovery_user (user_id, id),
          UNIQUE INDEX ${prefix}webhook_recovery_running (running_of)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_recovery`);
  }
}
