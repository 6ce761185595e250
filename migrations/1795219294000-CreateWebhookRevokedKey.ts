import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookRevokedKey1795219294000 implements MigrationInterface {
  name = 'CreateWebhookRevokedKey1795219294000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_revoked_key (
          hash varchar(64) NOT NULL,
          revoked_at bigint NOT NULL,
          PRIMARY KEY (hash)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_revoked_key (
          hash varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          revoked_at bigint NOT NULL,
          PRIMARY KEY (hash)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_revoked_key`);
  }
}
