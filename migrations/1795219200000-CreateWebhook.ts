import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhook1795219200000 implements MigrationInterface {
  name = 'CreateWebhook1795219200000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook (
          id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          name varchar(128) NOT NULL,
          url varchar(2048) NOT NULL,
          enabled boolean NOT NULL,
          description varchar(1024) NULL,
          sealed_headers text NOT NULL,
          sealed_secret varchar(512) NOT NULL,
          disabled_reason varchar(16) NULL,
          failing_since bigint NULL,
          created_at bigint NOT NULL,
          updated_at bigint NOT NULL,
          generation integer NOT NULL DEFAULT 0,
          failing_quarters integer NOT NULL DEFAULT 0,
          paused_until bigint NULL,
          recover_from varchar(36) NULL,
          probe_at bigint NULL,
          probe_id varchar(36) NULL,
          probes integer NOT NULL DEFAULT 0,
          disabled_event_pending_since bigint NULL,
          sealed_previous_secrets varchar(2048) NULL,
          uid varchar(128) NULL,
          metadata text NULL,
          signature_scheme varchar(32) NOT NULL DEFAULT 'standard',
          settings varchar(1024) NULL,
          sealed_authentication text NULL,
          sealed_tls text NULL,
          PRIMARY KEY (id)
        )`,
        `CREATE INDEX ${prefix}webhook_user ON ${prefix}webhook (user_id, id)`,
        `CREATE UNIQUE INDEX ${prefix}webhook_uid ON ${prefix}webhook (user_id, uid)`,
        `CREATE INDEX ${prefix}webhook_disabled_event_pending ON ${prefix}webhook (disabled_event_pending_since)`,
        `CREATE INDEX ${prefix}webhook_probe ON ${prefix}webhook (probe_at)`,
        `CREATE INDEX ${prefix}webhook_failing ON ${prefix}webhook (failing_since, enabled)`,
        `CREATE INDEX ${prefix}webhook_disabled ON ${prefix}webhook (disabled_reason)`,
        // TypeORM recognises a foreign key only by quoted names.
        `CREATE TABLE ${prefix}webhook_event (
          id varchar(36) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          kind varchar(64) NOT NULL,
          enabled boolean NOT NULL,
          filter text NULL,
          filter_hash varchar(22) NULL,
          created_at bigint NOT NULL,
          PRIMARY KEY (id),
          CONSTRAINT "${prefix}webhook_event_of" FOREIGN KEY ("webhook_id") REFERENCES "${prefix}webhook" ("id")
            ON DELETE CASCADE ON UPDATE CASCADE
        )`,
        `CREATE UNIQUE INDEX ${prefix}webhook_event_kind ON ${prefix}webhook_event (webhook_id, kind)`,
        `CREATE INDEX ${prefix}webhook_event_subscription ON ${prefix}webhook_event (user_id, kind)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          name varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          url varchar(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          enabled tinyint(1) NOT NULL,
          description varchar(1024) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          sealed_headers text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          sealed_secret varchar(512) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          disabled_reason varchar(16) CHARACTER SET ascii COLLATE ascii_bin NULL,
          failing_since bigint NULL,
          created_at bigint NOT NULL,
          updated_at bigint NOT NULL,
          generation int NOT NULL DEFAULT 0,
          failing_quarters int NOT NULL DEFAULT 0,
          paused_until bigint NULL,
          recover_from varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          probe_at bigint NULL,
          probe_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL,
          probes int NOT NULL DEFAULT 0,
          disabled_event_pending_since bigint NULL,
          sealed_previous_secrets varchar(2048) CHARACTER SET ascii COLLATE ascii_bin NULL,
          uid varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          metadata text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          signature_scheme varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'standard',
          settings varchar(1024) CHARACTER SET ascii COLLATE ascii_bin NULL,
          sealed_authentication text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          sealed_tls text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          PRIMARY KEY (id),
          UNIQUE INDEX ${prefix}webhook_uid (user_id, uid),
          INDEX ${prefix}webhook_user (user_id, id),
          INDEX ${prefix}webhook_disabled_event_pending (disabled_event_pending_since),
          INDEX ${prefix}webhook_probe (probe_at),
          INDEX ${prefix}webhook_failing (failing_since, enabled),
          INDEX ${prefix}webhook_disabled (disabled_reason)
        ) ENGINE=InnoDB`,
        `CREATE TABLE ${prefix}webhook_event (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          enabled tinyint(1) NOT NULL,
          filter text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL,
          filter_hash varchar(22) CHARACTER SET ascii COLLATE ascii_bin NULL,
          created_at bigint NOT NULL,
          PRIMARY KEY (id),
          UNIQUE INDEX ${prefix}webhook_event_kind (webhook_id, kind),
          INDEX ${prefix}webhook_event_subscription (user_id, kind),
          CONSTRAINT ${prefix}webhook_event_of FOREIGN KEY (webhook_id) REFERENCES ${prefix}webhook (id)
            ON DELETE CASCADE ON UPDATE CASCADE
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await runner.query(`DROP TABLE ${prefix}webhook_event`);
    await runner.query(`DROP TABLE ${prefix}webhook`);
  }
}
