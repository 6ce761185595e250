import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookRateLimit1795219211000 implements MigrationInterface {
  name = 'CreateWebhookRateLimit1795219211000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_rate_limit (
          window_start bigint NOT NULL,
          client_hash varchar(64) NOT NULL,
          calls integer NOT NULL,
          PRIMARY KEY (window_start, client_hash)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_rate_limit (
          window_start bigint NOT NULL,
          client_hash varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          calls int NOT NULL,
          PRIMARY KEY (window_start, client_hash)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_rate_limit`);
  }
}
