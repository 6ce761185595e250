import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookApiKey1795219206000 implements MigrationInterface {
  name = 'CreateWebhookApiKey1795219206000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_api_key (
          id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          name varchar(128) NULL,
          scopes varchar(128) NOT NULL,
          hash varchar(64) NOT NULL,
          created_at bigint NOT NULL,
          last_used_at bigint NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE UNIQUE INDEX ${prefix}webhook_api_key_hash ON ${prefix}webhook_api_key (hash)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_api_key (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          name varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          scopes varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          hash varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          created_at bigint NOT NULL,
          last_used_at bigint NULL,
          PRIMARY KEY (id),
          UNIQUE INDEX ${prefix}webhook_api_key_hash (hash)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_api_key`);
  }
}
