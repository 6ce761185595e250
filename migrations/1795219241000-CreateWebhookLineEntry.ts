import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookLineEntry1795219241000 implements MigrationInterface {
  name = 'CreateWebhookLineEntry1795219241000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_line_entry (
          trigger_id varchar(36) NOT NULL,
          line varchar(43) NOT NULL,
          place varchar(36) NOT NULL,
          topic varchar(43) NULL,
          due_at bigint NOT NULL DEFAULT 0,
          PRIMARY KEY (trigger_id)
        )`,
        `CREATE INDEX ${prefix}webhook_line_entry_place ON ${prefix}webhook_line_entry (line, place)`,
        `CREATE INDEX ${prefix}webhook_line_entry_topic ON ${prefix}webhook_line_entry (topic, place)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_line_entry (
          trigger_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          line varchar(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          place varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          topic varchar(43) CHARACTER SET ascii COLLATE ascii_bin NULL,
          due_at bigint NOT NULL DEFAULT 0,
          PRIMARY KEY (trigger_id),
          INDEX ${prefix}webhook_line_entry_place (line, place),
          INDEX ${prefix}webhook_line_entry_topic (topic, place)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_line_entry`);
  }
}
