import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { MoveWebhookExchangeToAttempt1795219208000 } from '../../migrations/1795219208000-MoveWebhookExchangeToAttempt.js';
import { AddWebhookNotificationHops1795219209000 } from '../../migrations/1795219209000-AddWebhookNotificationHops.js';
import { AddWebhookPreviousSecret1795219210000 } from '../../migrations/1795219210000-AddWebhookPreviousSecret.js';
import { FixWebhookTriggerRowLength1795219212000 } from '../../migrations/1795219212000-FixWebhookTriggerRowLength.js';
import { CreateWebhookRequestHead1795219213000 } from '../../migrations/1795219213000-CreateWebhookRequestHead.js';
import { SealWebhookRequestHead1795219224100 } from '../../migrations/1795219224100-SealWebhookRequestHead.js';
import { webhookMigrations } from '../../migrations/index.js';
import { createDataSource, dataSourceOptions } from '../../src/schema/data-source.js';
import { databases, type TestDatabase } from '../support/databases.js';

describe.each(databases)('schema on $name', (kind) => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await kind.create();
    dataSource = await createDataSource(
      dataSourceOptions(database.url.replace('mysql:', 'mariadb:')),
    ).initialize();
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('is the one that the entities describe', async () => {
    await dataSource.runMigrations();
    const drift = await dataSource.driver.createSchemaBuilder().log();
    expect(drift.upQueries.map((q) => q.query)).toEqual([]);
  });

  it('goes down to nothing and up again', async () => {
    await dataSource.runMigrations();
    for (const _ of webhookMigrations) await dataSource.undoLastMigration();
    expect(await tables()).toEqual(['webhook_migration']);
    await dataSource.runMigrations();
    expect(await tables()).toContain('webhook_trigger');
  });

  it('counts no hops for what was reported before hops were counted', async () => {
    await dataSource.runMigrations();
    await undoDownTo(AddWebhookNotificationHops1795219209000);
    await dataSource.query(
      `INSERT INTO webhook_notification (id, user_id, event_kind, triggered_at, body) VALUES ('n', 'u', 'K', 1, X'7b7d')`,
    );
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT id, hops FROM webhook_notification')).toEqual([
      { id: 'n', hops: 0 },
    ]);
    await undoDownTo(AddWebhookNotificationHops1795219209000);
    expect(await dataSource.query('SELECT * FROM webhook_notification')).toEqual([
      expect.not.objectContaining({ hops: expect.anything() }),
    ]);
  });

  it('keeps what came back when it moves to the attempts, and back', async () => {
    await dataSource.runMigrations();
    await undoDownTo(MoveWebhookExchangeToAttempt1795219208000);
    const insert = `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_kind, user_id, status, attempt_count,
      request, response, response_body, error_code, error_message) VALUES ('t', 'n', 'w', 'K', 'u', 'FAILED', 2, 'r', 'p', 'b', 'tls', 'm')`;
    await dataSource.query(insert);
    const exchange = 'response, response_body, error_code, error_message';
    for (const number of [1, 2])
      await dataSource.query(
        `INSERT INTO webhook_attempt (trigger_id, number, begin_at, end_at, phases, ${exchange})
         VALUES ('t', ${number}, 1, 2, '{}', 'p', 'b', 'tls', 'm')`,
      );
    await dataSource.runMigrations();
    const attempts = `SELECT number, request, ${exchange} FROM webhook_attempt ORDER BY number`;
    // What was sent was in the clear, and is gone by now.
    const last = { request: null, response: 'p', response_body: 'b', error_code: 'tls', error_message: 'm' };
    expect(await dataSource.query(attempts)).toEqual([
      { ...last, number: 1 },
      { ...last, number: 2 },
    ]);
    await undoDownTo(MoveWebhookExchangeToAttempt1795219208000);
    expect(await dataSource.query(`SELECT request, ${exchange} FROM webhook_trigger`)).toEqual([last]);
  });

  it('keeps webhooks and their events when the previous secret comes and goes', async () => {
    await dataSource.runMigrations();
    await undoDownTo(AddWebhookPreviousSecret1795219210000);
    await dataSource.query(
      `INSERT INTO webhook (id, user_id, name, url, enabled, sealed_headers, sealed_secret, created_at, updated_at)
       VALUES ('w', 'u', 'n', 'x', 1, 'h', 's', 1, 2)`,
    );
    await dataSource.query(
      `INSERT INTO webhook_event (id, webhook_id, user_id, kind, enabled, created_at) VALUES ('e', 'w', 'u', 'K', 1, 1)`,
    );
    const stored = () =>
      Promise.all([
        dataSource.query('SELECT * FROM webhook'),
        dataSource.query('SELECT id, webhook_id FROM webhook_event'),
      ]);
    const before = await stored();
    await dataSource.runMigrations();
    const [[webhook], events] = await stored();
    expect(webhook).toEqual({
      ...before[0][0],
      generation: 0,
      failing_quarters: 0,
      untold_since: null,
      sealed_previous_secrets: null,
    });
    expect(events).toEqual([{ id: 'e', webhook_id: 'w' }]);
    await undoDownTo(AddWebhookPreviousSecret1795219210000);
    expect(await stored()).toEqual(before);
  });

  it('keeps times and leases when rows get a fixed length, and back', async () => {
    await dataSource.runMigrations();
    await undoDownTo(FixWebhookTriggerRowLength1795219212000);
    const changing = ['status', 'begin_at', 'end_at', 'next_attempt_at', 'leased_by'];
    const values = [`'w', 'FAILED', 5, 6, NULL, NULL`, `'x', 'PENDING', NULL, NULL, 7, 'i'`];
    for (const row of values)
      await dataSource.query(
        `INSERT INTO webhook_trigger (notification_id, event_kind, user_id, webhook_id, id, ${changing.join(', ')})
         VALUES ('n', 'K', 'u', 'w', ${row})`,
      );
    const stored = async () =>
      (
        await dataSource.query<Record<string, unknown>[]>(
          `SELECT ${changing.join(', ')} FROM webhook_trigger ORDER BY id`,
        )
      ).map((row) =>
        Object.fromEntries(Object.entries(row).map(([k, v]) => [k, v === null ? v : String(v)])),
      );
    const [failed, pending] = [
      { status: 'FAILED', begin_at: '5', end_at: '6', next_attempt_at: null, leased_by: null },
      { status: 'PENDING', begin_at: null, end_at: null, next_attempt_at: '7', leased_by: 'i' },
    ];
    expect(await stored()).toEqual([failed, pending]);
    await dataSource.runMigrations();
    expect(await stored()).toEqual([
      { ...failed, next_attempt_at: '0', leased_by: '' },
      { ...pending, begin_at: '0', end_at: '0' },
    ]);
    await undoDownTo(FixWebhookTriggerRowLength1795219212000);
    expect(await stored()).toEqual([failed, pending]);
  });

  it('keeps attempts, and nothing that is readable of their requests, when heads are sealed', async () => {
    await dataSource.runMigrations();
    await undoDownTo(SealWebhookRequestHead1795219224100);
    await dataSource.query(`INSERT INTO webhook_request_head (id, head) VALUES ('h', 'x')`);
    await dataSource.query(
      `INSERT INTO webhook_attempt (trigger_id, number, begin_at, end_at, phases, request_head, request, response)
       VALUES ('t', 1, 1, 2, '{}', 'h', 'msg_1', '{}'), ('t', 2, 1, 2, '{}', NULL, '{"url":"x"}', NULL)`,
    );
    await dataSource.runMigrations();
    const attempts = 'SELECT request_head, request, response FROM webhook_attempt ORDER BY number';
    expect(await dataSource.query(attempts)).toEqual([
      { request_head: null, request: null, response: '{}' },
      { request_head: null, request: null, response: null },
    ]);
    await dataSource.query(`UPDATE webhook_attempt SET request_head = 'i', request = 'r'`);
    await dataSource.query(
      `INSERT INTO webhook_request_head (id, webhook_id, sealed_head, stored_at) VALUES ('i', 'w', 'x', 1)`,
    );
    await undoDownTo(SealWebhookRequestHead1795219224100);
    expect(await dataSource.query(`${attempts} LIMIT 1`)).toEqual([
      { request_head: null, request: null, response: '{}' },
    ]);
    expect(await dataSource.query('SELECT id, head FROM webhook_request_head')).toEqual([]);
  });

  it('writes requests out with their attempts again when their heads go', async () => {
    await dataSource.runMigrations();
    await undoDownTo(SealWebhookRequestHead1795219224100);
    const head = { url: 'https://x/', headers: { 'x-team': 'risk', 'webhook-id': null, traceparent: null } };
    const whole = JSON.stringify({ url: 'https://y/', headers: {} });
    await dataSource.query('INSERT INTO webhook_request_head (id, head) VALUES (?, ?)', [
      'h',
      JSON.stringify(head),
    ]);
    const insert = `INSERT INTO webhook_attempt (trigger_id, number, begin_at, end_at, phases, request_head, request)
      VALUES ('t', ?, 1, 2, '{}', ?, ?)`;
    await dataSource.query(insert, [1, 'h', 'msg_1']);
    await dataSource.query(insert, [2, null, whole]);
    await dataSource.query(insert, [3, null, null]);
    await undoDownTo(CreateWebhookRequestHead1795219213000);
    const rows = await dataSource.query<{ request: string | null }[]>(
      'SELECT * FROM webhook_attempt ORDER BY number',
    );
    expect(rows.map(({ request }) => request && JSON.parse(request))).toEqual([
      { url: 'https://x/', headers: { 'x-team': 'risk', 'webhook-id': 'msg_1' } },
      JSON.parse(whole),
      null,
    ]);
    expect(rows[0]).not.toHaveProperty('request_head');
    await dataSource.runMigrations();
  });

  /** This migration as well. */
  async function undoDownTo(migration: (typeof webhookMigrations)[number]): Promise<void> {
    for (const _ of webhookMigrations.slice(webhookMigrations.indexOf(migration))) {
      await dataSource.undoLastMigration();
    }
  }

  async function tables(): Promise<string[]> {
    const sql =
      kind.name === 'SQLite'
        ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'webhook%' ORDER BY name`
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1';
    return (await dataSource.query<{ name: string }[]>(sql)).map((row) => row.name);
  }
});
