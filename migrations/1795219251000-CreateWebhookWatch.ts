import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookWatch1795219251000 implements MigrationInterface {
  name = 'CreateWebhookWatch1795219251000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_watch (
          name varchar(12) NOT NULL,
          epoch varchar(36) NOT NULL,
          since_at bigint NOT NULL,
          expires_at bigint NOT NULL,
          pruned_id bigint NOT NULL,
          PRIMARY KEY (name)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_watch (
          name varchar(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          epoch varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          since_at bigint NOT NULL,
          expires_at bigint NOT NULL,
          pruned_id bigint NOT NULL,
          PRIMARY KEY (name)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_watch`);
  }
}
