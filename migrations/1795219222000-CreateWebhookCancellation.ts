import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookCancellation1795219222000 implements MigrationInterface {
  name = 'CreateWebhookCancellation1795219222000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_cancellation (
          webhook_id varchar(36) NOT NULL,
          requested_at bigint NOT NULL,
          PRIMARY KEY (webhook_id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_cancellation (
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          requested_at bigint NOT NULL,
          PRIMARY KEY (webhook_id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_cancellation`);
  }
}
