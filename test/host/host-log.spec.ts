import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import { describe, expect, it } from '@jest/globals';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource } from 'typeorm';
import { NotifierService, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { webhookModule } from './application.js';
import { useHost, useKeptLog } from './use-host.js';

const NEEDLE = 'needle-7c1f';
const USER = `user-${NEEDLE}`;
const event = { user_id: USER, record: { id: NEEDLE, name: NEEDLE, analysis: [] } };
const webhook = { name: NEEDLE, url: `http://127.0.0.1:31151/${NEEDLE}` };
/** Matches any part of a statement. */
const STATEMENT = /insert\s+into|values\s*\(|select\s|update\s+\S+\s+set/i;

/** Changes that make a table refuse every write. */
const FAILURES: [does: string, change: (table: string) => string][] = [
  ['has lost a table', (table) => `ALTER TABLE ${table} RENAME TO elsewhere_${table}`],
  ['reports a duplicate value', (table) => `CREATE UNIQUE INDEX only_one_${table} ON ${table} (user_id)`],
];

describe.each(databases)("a host's log on $name", (kind) => {
  const log = useKeptLog();
  const host = useHost(kind, {
    lifetime: 'test',
    logger: log,
    webhooks: webhookModule({ principal: () => ({ userId: USER, scopes: ['admin'] }) }),
  });
  const webhooks = () => host.get(WebhookService);
  const query = (sql: string) => host.get(DataSource).query(sql);

  /** Expects that no part of a statement shows, also inside of objects. */
  function expectClean(shown: unknown): void {
    const text = inspect(shown, { depth: 10, showHidden: true });
    expect(text).not.toContain(NEEDLE);
    expect(text).not.toMatch(STATEMENT);
  }

  async function expectCleanFailures(works: (() => Promise<unknown>)[]): Promise<void> {
    for (const work of works) {
      const error = await work().then(
        () => 'it did not fail',
        (caught: unknown) => caught,
      );
      // Not instanceof: SQLite's driver may use the Error class of an earlier suite.
      expect(isNativeError(error)).toBe(true);
      expectClean(error);
    }
  }

  it.each(FAILURES)('holds no part of a statement when the database %s', async (_does, change) => {
    const notifier = host.get(NotifierService);
    await notifier.notify('record.finished', event);
    await webhooks().create(USER, webhook);
    for (const table of ['webhook_notification', 'webhook']) await query(change(table));
    await expectCleanFailures([
      () => notifier.notify('record.finished', event),
      () => host.get(EventEmitter2).emitAsync('record.finished', event),
      () =>
        host.get(DataSource).transaction((manager) => notifier.notify('record.finished', event, { manager })),
      () => webhooks().create(USER, webhook),
    ]);
    for (const [path, body] of [
      ['/v1/notification', { event_kind: 'RECORD_FINISHED', ...event }],
      ['/v1/webhook', webhook],
    ] as const) {
      const answer = await host.call('POST', path, body);
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(answer.text).not.toContain(NEEDLE);
    }
    // Errors that the caller did not get are logged.
    expect(log.entries.length).toBeGreaterThanOrEqual(3);
    expectClean(log.entries);
  });

  it('holds no part of a failed read', async () => {
    const { id } = await webhooks().create(USER, webhook);
    await query('ALTER TABLE webhook RENAME TO elsewhere_webhook');
    await expectCleanFailures([
      () => webhooks().find(USER, id),
      () => webhooks().list(USER, { limit: 20 }),
      () => webhooks().secret(USER, id),
      () => webhooks().update(USER, { id, name: NEEDLE }),
      () => webhooks().delete(USER, id),
    ]);
    expectClean(log.entries);
  });
});
