import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookTrigger1795219203000 implements MigrationInterface {
  name = 'CreateWebhookTrigger1795219203000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_trigger (
          id varchar(36) NOT NULL,
          notification_id varchar(36) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          event_id varchar(36) NULL,
          event_kind varchar(64) NOT NULL,
          user_id varchar(128) NOT NULL,
          status varchar(12) NOT NULL,
          attempt_count integer NOT NULL DEFAULT 0,
          schedule_offset integer NOT NULL DEFAULT 0,
          begin_at bigint NOT NULL DEFAULT 0,
          end_at bigint NOT NULL DEFAULT 0,
          next_attempt_at bigint NOT NULL DEFAULT 0,
          leased_by varchar(36) NOT NULL DEFAULT '',
          lease integer NOT NULL DEFAULT 0,
          cause varchar(8) NOT NULL DEFAULT 'schedule',
          has_failed boolean NOT NULL DEFAULT 0,
          cancelled_for varchar(12) NULL,
          ordered boolean NOT NULL DEFAULT 0,
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_trigger_notification ON ${prefix}webhook_trigger (notification_id)`,
        `CREATE INDEX ${prefix}webhook_trigger_webhook ON ${prefix}webhook_trigger (webhook_id, id)`,
        `CREATE INDEX ${prefix}webhook_trigger_user ON ${prefix}webhook_trigger (user_id, id)`,
        `CREATE INDEX ${prefix}webhook_trigger_due ON ${prefix}webhook_trigger (status, next_attempt_at, id, webhook_id)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_trigger (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          notification_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          event_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          event_kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          status char(12) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          attempt_count int NOT NULL DEFAULT 0,
          schedule_offset int NOT NULL DEFAULT 0,
          begin_at bigint NOT NULL DEFAULT 0,
          end_at bigint NOT NULL DEFAULT 0,
          next_attempt_at bigint NOT NULL DEFAULT 0,
          leased_by char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
          lease int NOT NULL DEFAULT 0,
          cause char(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'schedule',
          has_failed tinyint(1) NOT NULL DEFAULT 0,
          cancelled_for varchar(12) CHARACTER SET ascii COLLATE ascii_bin NULL,
          ordered tinyint(1) NOT NULL DEFAULT 0,
          PRIMARY KEY (id),
          INDEX ${prefix}webhook_trigger_due (status, next_attempt_at, id, webhook_id),
          INDEX ${prefix}webhook_trigger_user (user_id, id),
          INDEX ${prefix}webhook_trigger_webhook (webhook_id, id),
          INDEX ${prefix}webhook_trigger_notification (notification_id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_trigger`);
  }
}
