import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookEvent1795219201000 implements MigrationInterface {
  name = 'CreateWebhookEvent1795219201000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        // TypeORM recognises a foreign key only by quoted names.
        `CREATE TABLE ${prefix}webhook_event (
          id varchar(36) NOT NULL,
          webhook_id varchar(36) NOT NULL,
          user_id varchar(128) NOT NULL,
          kind varchar(64) NOT NULL,
          enabled boolean NOT NULL,
          created_at bigint NOT NULL,
          PRIMARY KEY (id),
          CONSTRAINT "${prefix}webhook_event_of" FOREIGN KEY ("webhook_id") REFERENCES "${prefix}webhook" ("id")
            ON DELETE CASCADE ON UPDATE CASCADE
        )`,
        `CREATE UNIQUE INDEX ${prefix}webhook_event_kind ON ${prefix}webhook_event (webhook_id, kind)`,
        `CREATE INDEX ${prefix}webhook_event_subscription ON ${prefix}webhook_event (user_id, kind)`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_event (
          id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          webhook_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          user_id varchar(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          kind varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          enabled tinyint(1) NOT NULL,
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
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_event`);
  }
}
