import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

const TIMES = ['begin_at', 'end_at', 'next_attempt_at'];

/** What changes in a trigger's row takes the same room before and after; 0 and '' stand for what was NULL. */
export class FixWebhookTriggerRowLength1795219212000 implements MigrationInterface {
  name = 'FixWebhookTriggerRowLength1795219212000';

  async up(runner: QueryRunner): Promise<void> {
    const { fixedAscii, timeToCome } = migrationColumns(runner);
    const filled = TIMES.map((name) => `${name} = COALESCE(${name}, 0)`);
    await tables(runner).query(
      `UPDATE webhook_trigger SET leased_by = COALESCE(leased_by, ''), ${filled.join(', ')}`,
    );
    await tables(runner).changeColumns('webhook_trigger', [
      fixedAscii('status', 12),
      fixedAscii('leased_by', 36, { default: `''` }),
      ...TIMES.map((name) => timeToCome(name)),
    ]);
  }

  async down(runner: QueryRunner): Promise<void> {
    const { ascii, id, time } = migrationColumns(runner);
    await tables(runner).changeColumns('webhook_trigger', [
      ascii('status', 12),
      id('leased_by', { isNullable: true }),
      ...TIMES.map((name) => time(name, { isNullable: true })),
    ]);
    const emptied = TIMES.map((name) => `${name} = NULLIF(${name}, 0)`);
    await tables(runner).query(
      `UPDATE webhook_trigger SET leased_by = NULLIF(leased_by, ''), ${emptied.join(', ')}`,
    );
  }
}
