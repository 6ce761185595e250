import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';

/** What a trigger repeated of its last attempt; the request was only there. */
const REPEATED = ['request', 'response', 'response_body', 'error_code', 'error_message'];

/** The last attempt of each trigger holds what was sent and what came back, once: the queue's own rows stay small. */
export class MoveWebhookExchangeToAttempt1795219208000 implements MigrationInterface {
  name = 'MoveWebhookExchangeToAttempt1795219208000';

  async up(runner: QueryRunner): Promise<void> {
    const { text } = migrationColumns(runner);
    await tables(runner).addColumns('webhook_attempt', [text('request', { isNullable: true })]);
    await tables(runner).query(
      `UPDATE webhook_attempt SET request = (
         SELECT request FROM webhook_trigger WHERE id = trigger_id AND attempt_count = number)`,
    );
    for (const column of REPEATED)
      await tables(runner).query(`ALTER TABLE webhook_trigger DROP COLUMN ${column}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const { ascii, unicode, text } = migrationColumns(runner);
    const nullable = { isNullable: true };
    await tables(runner).addColumns('webhook_trigger', [
      ...['request', 'response', 'response_body'].map((name) => text(name, nullable)),
      ascii('error_code', 32, nullable),
      unicode('error_message', 255, nullable),
    ]);
    const last = (column: string) =>
      `${column} = (SELECT ${column} FROM webhook_attempt WHERE trigger_id = id AND number = attempt_count)`;
    await tables(runner).query(`UPDATE webhook_trigger SET ${REPEATED.map(last).join(', ')}`);
    await tables(runner).query('ALTER TABLE webhook_attempt DROP COLUMN request');
  }
}
