import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookDecisionSet1795219233000 implements MigrationInterface {
  name = 'CreateWebhookDecisionSet1795219233000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_decision_set (
          id varchar(22) NOT NULL,
          decisions text NOT NULL,
          stored_at bigint NOT NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_decision_set_age ON ${prefix}webhook_decision_set (stored_at)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_decision_set (
          id varchar(22) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          decisions mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          stored_at bigint NOT NULL,
          PRIMARY KEY (id),
          INDEX ${prefix}webhook_decision_set_age (stored_at)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_decision_set`);
  }
}
