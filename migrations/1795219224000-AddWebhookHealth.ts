import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '../src/database/columns.js';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

const COLUMNS = ['generation', 'failing_quarters', 'untold_since'];

/** What it takes to disable a webhook for what it does now, and to say so whatever happens to the process. */
export class AddWebhookHealth1795219224000 implements MigrationInterface {
  name = 'AddWebhookHealth1795219224000';

  async up(runner: QueryRunner): Promise<void> {
    const { integer, time } = migrationColumns(runner);
    const { addColumns, query } = tables(runner);
    await addColumns('webhook', [
      integer('generation', { default: 0 }),
      integer('failing_quarters', { default: 0 }),
      time('untold_since', { isNullable: true }),
    ]);
    await query('UPDATE webhook SET failing_quarters = 1 WHERE failing_since IS NOT NULL');
    await query('CREATE INDEX webhook_untold ON webhook (untold_since)');
  }

  async down(runner: QueryRunner): Promise<void> {
    const { query } = tables(runner);
    const isMysql = dialectOf(runner.dataSource) === 'mysql';
    await query(`DROP INDEX webhook_untold${isMysql ? ' ON webhook' : ''}`);
    for (const column of COLUMNS) await query(`ALTER TABLE webhook DROP COLUMN ${column}`);
  }
}
