import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookSession1795219293000 implements MigrationInterface {
  name = 'CreateWebhookSession1795219293000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_session (
          id varchar(36) NOT NULL,
          key_id varchar(36) NOT NULL,
          code varchar(64) NULL,
          expires_at bigint NOT NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE UNIQUE INDEX ${prefix}webhook_session_code ON ${prefix}webhook_session (code)`,
        `CREATE INDEX ${prefix}webhook_session_key ON ${prefix}webhook_session (key_id, id)`,
        `CREATE INDEX ${prefix}webhook_session_end ON ${prefix}webhook_session (expires_at)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_session (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          key_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          code varchar(64) CHARACTER SET ascii COLLATE ascii_bin NULL,
          expires_at bigint NOT NULL,
          PRIMARY KEY (id),
          UNIQUE INDEX ${prefix}webhook_session_code (code),
          INDEX ${prefix}webhook_session_key (key_id, id),
          INDEX ${prefix}webhook_session_end (expires_at)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_session`);
  }
}
