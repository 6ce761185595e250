import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationColumns } from '../src/database/migration-columns.js';
import { tables } from '../src/database/migration-tables.js';
import { type RequestHead, shownRequest } from '../src/trigger/attempt/request-head.js';

const AT_ONCE = 500;

interface StoredRequest {
  trigger_id: string;
  number: number;
  request: string;
  head: string;
}

/** What all requests to a webhook say is stored once, and no longer with each attempt. */
export class CreateWebhookRequestHead1795219213000 implements MigrationInterface {
  name = 'CreateWebhookRequestHead1795219213000';

  async up(runner: QueryRunner): Promise<void> {
    const { ascii, text } = migrationColumns(runner);
    await tables(runner).create({
      name: 'webhook_request_head',
      columns: [ascii('id', 22, { isPrimary: true }), text('head')],
    });
    await tables(runner).addColumns('webhook_attempt', [ascii('request_head', 22, { isNullable: true })]);
  }

  async down(runner: QueryRunner): Promise<void> {
    while (await putBackSome(runner));
    await tables(runner).query('ALTER TABLE webhook_attempt DROP COLUMN request_head');
    await tables(runner).drop('webhook_request_head');
  }
}

/** Writes requests out with their attempts again. @returns whether there may be more */
async function putBackSome(runner: QueryRunner): Promise<boolean> {
  const { query } = tables(runner);
  const rows = (await query(
    `SELECT a.trigger_id, a.number, a.request, h.head FROM webhook_attempt a
     JOIN webhook_request_head h ON h.id = a.request_head LIMIT ${AT_ONCE}`,
  )) as StoredRequest[];
  for (const { trigger_id, number, request, head } of rows) {
    const shown = JSON.stringify(shownRequest(JSON.parse(head) as RequestHead, request));
    await query(
      'UPDATE webhook_attempt SET request = ?, request_head = NULL WHERE trigger_id = ? AND number = ?',
      [shown, trigger_id, number],
    );
  }
  return rows.length === AT_ONCE;
}
