import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookGroupMember1795219241000 implements MigrationInterface {
  name = 'CreateWebhookGroupMember1795219241000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_group_member (
          trigger_id varchar(36) NOT NULL,
          ordering_key varchar(43) NOT NULL,
          position varchar(36) NOT NULL,
          topic varchar(43) NULL,
          due_at bigint NOT NULL DEFAULT 0,
          PRIMARY KEY (trigger_id)
        )`,
        `CREATE INDEX ${prefix}webhook_group_member_position ON ${prefix}webhook_group_member (ordering_key, position)`,
        `CREATE INDEX ${prefix}webhook_group_member_topic ON ${prefix}webhook_group_member (topic, position)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_group_member (
          trigger_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          ordering_key varchar(43) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          position varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          topic varchar(43) CHARACTER SET ascii COLLATE ascii_bin NULL,
          due_at bigint NOT NULL DEFAULT 0,
          PRIMARY KEY (trigger_id),
          INDEX ${prefix}webhook_group_member_position (ordering_key, position),
          INDEX ${prefix}webhook_group_member_topic (topic, position)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_group_member`);
  }
}
