import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class CreateWebhookEncryptionKey1795219224000 implements MigrationInterface {
  name = 'CreateWebhookEncryptionKey1795219224000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    await execute(runner, {
      sqlite: [
        `CREATE TABLE ${prefix}webhook_encryption_key (
          id varchar(32) NOT NULL,
          sealed_check varchar(128) NOT NULL,
          PRIMARY KEY (id)
        )`,
      ],
      mysql: [
        `CREATE TABLE ${prefix}webhook_encryption_key (
          id varchar(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          sealed_check varchar(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
          PRIMARY KEY (id)
        ) ENGINE=InnoDB`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tablePrefix(runner)}webhook_encryption_key`);
  }
}
