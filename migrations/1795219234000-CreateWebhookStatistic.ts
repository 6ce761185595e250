import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookStatistic1795219234000 implements MigrationInterface {
  name = 'CreateWebhookStatistic1795219234000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_statistic (
          user_id varchar(128) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          event_kind varchar(64) NOT NULL,
          step varchar(6) NOT NULL,
          begin_at bigint NOT NULL,
          counts text NOT NULL,
          PRIMARY KEY (user_id, webhook_id, event_kind, step, begin_at)
        ) WITHOUT ROWID`,
        `CREATE INDEX ${prefix}webhook_statistic_age ON ${prefix}webhook_statistic (step, begin_at)`,
        `CREATE TABLE ${prefix}webhook_statistic_delta (
          id varchar(36) NOT NULL,
          counts text NOT NULL,
          PRIMARY KEY (id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_statistic (
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          event_kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          step varchar(6) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          begin_at bigint NOT NULL,
          counts text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          PRIMARY KEY (user_id, webhook_id, event_kind, step, begin_at),
          INDEX ${prefix}webhook_statistic_age (step, begin_at)
        ) ENGINE=InnoDB`,
        `CREATE TABLE ${prefix}webhook_statistic_delta (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          counts mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await runner.query(`DROP TABLE ${prefix}webhook_statistic_delta`);
    await runner.query(`DROP TABLE ${prefix}webhook_statistic`);
  }
}
