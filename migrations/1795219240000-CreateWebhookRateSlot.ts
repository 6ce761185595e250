import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookRateSlot1795219240000 implements MigrationInterface {
  name = 'CreateWebhookRateSlot1795219240000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_rate_slot (
          webhook_id varchar(36) NOT NULL,
          next_at bigint NOT NULL,
          PRIMARY KEY (webhook_id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_rate_slot (
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          next_at bigint NOT NULL,
          PRIMARY KEY (webhook_id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_rate_slot`);
  }
}
