import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookIdempotency1795219207000 implements MigrationInterface {
  name = 'CreateWebhookIdempotency1795219207000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_idempotency (
          hash varchar(64) NOT NULL,
          request_hash varchar(64) NOT NULL,
          subject_id varchar(36) NOT NULL,
          sealed_answer text NULL,
          created_at bigint NOT NULL,
          PRIMARY KEY (hash)
        )`,
        `CREATE INDEX ${prefix}webhook_idempotency_age ON ${prefix}webhook_idempotency (created_at)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_idempotency (
          hash varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          request_hash varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          subject_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          sealed_answer mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          created_at bigint NOT NULL,
          PRIMARY KEY (hash),
          INDEX ${prefix}webhook_idempotency_age (created_at)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_idempotency`);
  }
}
