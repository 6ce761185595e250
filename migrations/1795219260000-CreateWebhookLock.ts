import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookLock1795219260000 implements MigrationInterface {
  name = 'CreateWebhookLock1795219260000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_lock (
          number integer NOT NULL,
          uses integer NOT NULL,
          PRIMARY KEY (number)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_lock (
          number int NOT NULL,
          uses integer NOT NULL,
          PRIMARY KEY (number)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_lock`);
  }
}
