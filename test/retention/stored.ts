import { beforeAll, beforeEach } from '@jest/globals';
import { v7 } from 'uuid';
import { Jobs } from '../../src/jobs/jobs.js';
import { systemClock } from '../../src/platform/clock.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { Database } from '../../src/store/database.js';
import type { TestDatabaseKind } from '../support/databases.js';
import { useService, useTestClock } from '../support/fixture.js';
import type { TestService } from '../support/service.js';

export const DAY_MS = 86_400_000;

type App = Pick<TestService, 'get' | 'query'>;
export type Status = 'PENDING' | 'DELIVERING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** A notification to store, with a trigger for each status. */
export interface Given {
  /** How long ago it was triggered, in milliseconds. */
  ageMs: number;
  statuses: Status[];
  /** Attempts of each trigger. @default 1 */
  attempts?: number;
  body?: Buffer;
  userId?: string;
  webhookId?: string;
}

/** What was stored of it. */
export interface Stored {
  id: string;
  triggers: string[];
}

const ago = (ageMs: number) => Math.round(systemClock.now() - ageMs);

/** An id made some milliseconds ago. */
export const oldId = (ageMs: number) => v7({ msecs: ago(ageMs) });

/** What the tests of passes look at. */
const TABLES = ['notification', 'trigger', 'attempt', 'overdue', 'task', 'recovery', 'decision_set'];

/** Payloads are kept for 10 days, and rows for 20. */
export const KEPT = { RETENTION_PAYLOAD_DAYS: '10', RETENTION_DAYS: '20' };

/** A service with these settings. Its clock stands still, and only the test makes passes. */
export function useRetention(kind: TestDatabaseKind) {
  const clock = useTestClock();
  const service = useService(kind, KEPT);
  beforeAll(() => service.app.get(Jobs).quiet());

  const get: TestService['get'] = (type) => service.get(type);
  const query: TestService['query'] = (...query) => service.query(...query);
  beforeEach(async () => {
    for (const table of TABLES) await query(`DELETE FROM webhook_${table}`);
  });

  /** Makes one whole pass. @returns how many steps it took. */
  async function pass(one = get(RetentionPass)): Promise<number> {
    let count = 0;
    for await (const _ of one.steps()) count++;
    return count;
  }
  return { clock, service, get, query, pass };
}

/** Stores notifications as the service would have. @returns their ids and those of their triggers. */
export async function store(service: App, given: Given[]): Promise<Stored[]> {
  const stored = given.map(({ ageMs, statuses }) => ({
    id: oldId(ageMs),
    triggers: statuses.map(() => oldId(ageMs)),
  }));
  const rows = given.map((one, n) => ({ ...one, ...(stored[n] as (typeof stored)[number]) }));
  const each = rows.flatMap(({ statuses, triggers, attempts = 1, ...one }) =>
    triggers.map((trigger, n) => ({ ...one, trigger, status: statuses[n] as Status, attempts })),
  );
  await service.get(Database).writeTogether([
    {
      table: 'webhook_notification',
      columns: ['id', 'user_id', 'event_kind', 'triggered_at', 'hops', 'body', 'record_id'],
      rows: rows.map(({ id, ageMs, body, userId = 'acme' }) => [
        id,
        userId,
        'RECORD_FINISHED',
        ago(ageMs),
        0,
        body ?? Buffer.from('{"data":{}}'),
        'rec_1',
      ]),
    },
    {
      table: 'webhook_trigger',
      columns: [
        ...['id', 'notification_id', 'webhook_id', 'event_kind', 'user_id', 'status'],
        ...['attempt_count', 'next_attempt_at', 'leased_by'],
      ],
      rows: each.map(({ id, trigger, status, attempts, userId = 'acme', webhookId = 'webhook' }) => [
        ...[trigger, id, webhookId, 'RECORD_FINISHED', userId, status, attempts],
        status === 'PENDING' ? ago(-DAY_MS) : 0,
        status === 'DELIVERING' ? 'somebody' : '',
      ]),
    },
    {
      table: 'webhook_attempt',
      columns: [
        ...['trigger_id', 'number', 'begin_at', 'end_at', 'phases', 'request_head', 'request'],
        ...['response', 'response_body', 'error_code'],
      ],
      rows: each.flatMap(({ trigger, attempts }) =>
        Array.from({ length: attempts }, (_, n) => [
          ...[trigger, n + 1, 1, 2, '{}', 'head', 'own'],
          ...['{"status":500,"headers":{}}', 'a response', 'http_status'],
        ]),
      ),
    },
  ]);
  return stored;
}

/** Stores one more trigger of a notification, of another webhook. @param dueAt when it is pending; it has succeeded without. */
export const storeTrigger = (service: App, id: string, of: Stored | undefined, dueAt?: number) =>
  service.query(
    `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_kind, user_id, status, next_attempt_at)
     VALUES (?, ?, 'other', 'RECORD_FINISHED', 'acme', ?, ?)`,
    [id, of?.id, dueAt === undefined ? 'SUCCEEDED' : 'PENDING', dueAt ?? 0],
  );

/** What is left of everything, by table, in the order of ids. */
export async function left(service: App) {
  const notifications = await service.query<{ id: string; bytes: number; gone: number }>(
    'SELECT id, LENGTH(body) AS bytes, payload_gone_at AS gone FROM webhook_notification ORDER BY id',
  );
  const triggers = await service.query<{ id: string }>('SELECT id FROM webhook_trigger ORDER BY id');
  const attempts = await service.query<{ trigger_id: string; whole: number }>(
    `SELECT trigger_id, (request IS NOT NULL) + (request_head IS NOT NULL) + (response IS NOT NULL)
       + (response_body IS NOT NULL) AS whole FROM webhook_attempt ORDER BY trigger_id, number`,
  );
  const overdue = await service.query<{ id: string }>('SELECT id FROM webhook_overdue ORDER BY id');
  return {
    notifications: notifications.map(({ id }) => id),
    whole: notifications
      .filter(({ bytes, gone }) => Number(bytes) > 0 && Number(gone) === 0)
      .map(({ id }) => id),
    triggers: triggers.map(({ id }) => id),
    attempts: attempts.map(({ trigger_id }) => trigger_id),
    wholeAttempts: attempts.filter(({ whole }) => Number(whole) === 4).map(({ trigger_id }) => trigger_id),
    bareAttempts: attempts.filter(({ whole }) => Number(whole) === 0).map(({ trigger_id }) => trigger_id),
    overdue: overdue.map(({ id }) => id),
  };
}
