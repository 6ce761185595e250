import type { MigrationInterface, QueryRunner } from 'typeorm';
import { execute, tablePrefix } from './dialect.js';

export class AddHealthToWebhook1795219300000 implements MigrationInterface {
  name = 'AddHealthToWebhook1795219300000';

  async up(runner: QueryRunner): Promise<void> {
    const prefix = tablePrefix(runner);
    const table = `${prefix}webhook`;
    await execute(runner, {
      sqlite: [
        `ALTER TABLE ${table} ADD COLUMN delivered boolean NOT NULL DEFAULT 0`,
        `ALTER TABLE ${table} ADD COLUMN state_since bigint NOT NULL DEFAULT 0`,
        `ALTER TABLE ${table} ADD COLUMN paused_since bigint NULL`,
        `ALTER TABLE ${table} ADD COLUMN last_failed_id varchar(36) NULL`,
      ],
      mysql: [
        `ALTER TABLE ${table} ADD COLUMN delivered tinyint(1) NOT NULL DEFAULT 0,
          ADD COLUMN state_since bigint NOT NULL DEFAULT 0,
          ADD COLUMN paused_since bigint NULL,
          ADD COLUMN last_failed_id varchar(36) CHARACTER SET ascii COLLATE ascii_bin NULL`,
      ],
    });
  }

  async down(runner: QueryRunner): Promise<void> {
    const table = `${tablePrefix(runner)}webhook`;
    for (const column of ['delivered', 'state_since', 'paused_since', 'last_failed_id'])
      await runner.query(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  }
}
