import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookUserMove1795219270000 implements MigrationInterface {
  name = 'CreateWebhookUserMove1795219270000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_user_move (
          user_id varchar(128) NOT NULL,
          state varchar(8) NOT NULL,
          departure varchar(36) NULL,
          arrival varchar(36) NULL,
          version integer NOT NULL,
          changed_at bigint NOT NULL,
          PRIMARY KEY (user_id)
        )`,
        `CREATE INDEX ${prefix}webhook_user_move_version ON ${prefix}webhook_user_move (version)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_user_move (
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          state varchar(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          departure varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          arrival varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          version integer NOT NULL,
          changed_at bigint NOT NULL,
          PRIMARY KEY (user_id),
          INDEX ${prefix}webhook_user_move_version (version)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_user_move`);
  }
}
