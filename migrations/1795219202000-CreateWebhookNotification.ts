import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookNotification1795219202000 implements MigrationInterface {
  name = 'CreateWebhookNotification1795219202000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      // The body is the last column: SQLite reads through a long one to what stands behind it.
      sqlite: [
        `CREATE TABLE ${prefix}webhook_notification (
          id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          event_kind varchar(64) NOT NULL,
          triggered_at bigint NOT NULL,
          traceparent varchar(128) NULL,
          hops integer NOT NULL DEFAULT 0,
          record_id varchar(256) NULL,
          about_webhook_id varchar(36) NULL,
          is_test boolean NOT NULL DEFAULT 0,
          decision_set varchar(22) NULL,
          payload_gone_at bigint NOT NULL DEFAULT 0,
          erased_at bigint NOT NULL DEFAULT 0,
          body blob NOT NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_notification_user ON ${prefix}webhook_notification (user_id, id, event_kind)`,
        `CREATE INDEX ${prefix}webhook_notification_record ON ${prefix}webhook_notification (user_id, record_id, id, event_kind)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_notification (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          event_kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          triggered_at bigint NOT NULL,
          traceparent varchar(128) CHARACTER SET ascii COLLATE ascii_bin NULL,
          hops int NOT NULL DEFAULT 0,
          record_id varbinary(768) NULL,
          about_webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          is_test tinyint(1) NOT NULL DEFAULT 0,
          decision_set varchar(22) CHARACTER SET ascii COLLATE ascii_bin NULL,
          payload_gone_at bigint NOT NULL DEFAULT 0,
          erased_at bigint NOT NULL DEFAULT 0,
          body mediumblob NOT NULL,
          PRIMARY KEY (id),
          INDEX ${prefix}webhook_notification_user (user_id, id, event_kind),
          INDEX ${prefix}webhook_notification_record (user_id, record_id, id, event_kind)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_notification`);
  }
}
