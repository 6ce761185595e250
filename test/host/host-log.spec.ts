import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ConsoleLogger } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import { DataSource } from 'typeorm';
import { NotifierService, WebhookModule, WebhookService } from '../../src/index.js';
import { databases } from '../support/databases.js';
import { HOST_KEYS } from '../support/host.js';
import { useHost } from './use-host.js';

const NEEDLE = 'needle-7c1f';
const USER = `user-${NEEDLE}`;
const event = { user_id: USER, record: { id: NEEDLE, name: NEEDLE, analysis: [] } };
const webhook = { name: NEEDLE, url: `http://127.0.0.1:49151/${NEEDLE}` };
/** Matches any part of a statement. */
const STATEMENT = /insert\s+into|values\s*\(|select\s|update\s+\S+\s+set/i;

/** Changes that make a table refuse every write. */
const FAILURES: Record<string, (table: string) => string> = {
  'has lost a table': (table) => `ALTER TABLE ${table} RENAME TO elsewhere`,
  'reports a duplicate value': (table) => `CREATE UNIQUE INDEX only_one ON ${table} (user_id)`,
};

describe.each(databases)("a host's log on $name", (kind) => {
  const printed: string[] = [];

  /** Nest's logger, keeping what it would print, including everything inside the logged objects. */
  class Kept extends ConsoleLogger {
    override error(...all: [unknown, ...unknown[]]): void {
      printed.push(inspect(all, { depth: 10, showHidden: true }));
    }
    override warn(...all: [unknown, ...unknown[]]): void {
      this.error(...all);
    }
  }

  beforeEach(() => {
    printed.length = 0;
  });
  const host = useHost(kind, {
    lifetime: 'test',
    adapter: 'Fastify',
    logger: new Kept(),
    webhooks: WebhookModule.forRoot({
      principal: () => ({ userId: USER, scopes: ['admin'] }),
      encryptionKeys: HOST_KEYS,
      egress: { allowPrivateNetwork: true },
    }),
  });

  const get = <T>(token: new (...all: never[]) => T) => host.app.get<T>(token, { strict: false });
  const shown = (error: unknown) => inspect(error, { depth: 10, showHidden: true });

  /** Expects an error that shows no part of a statement. */
  async function expectCleanFailure(work: () => Promise<unknown>): Promise<void> {
    const error = await work().then(
      () => 'it did not fail',
      (caught: unknown) => caught,
    );
    // Not instanceof: SQLite's driver may use the Error class of an earlier suite.
    expect(isNativeError(error)).toBe(true);
    expect(shown(error)).not.toContain(NEEDLE);
    expect(shown(error)).not.toMatch(STATEMENT);
  }

  it.each(Object.keys(FAILURES))('holds no part of a statement when the database %s', async (failure) => {
    const dataSource = get(DataSource);
    const notifier = get(NotifierService);
    const webhooks = get(WebhookService);
    await notifier.notify('record.finished', event);
    await webhooks.create(USER, webhook);
    for (const table of ['webhook_notification', 'webhook']) {
      await dataSource.query(FAILURES[failure]?.(table).replace(/elsewhere|only_one/, `$&_${table}`) ?? '');
    }
    const work: (() => Promise<unknown>)[] = [
      () => notifier.notify('record.finished', event),
      () => get(EventEmitter2).emitAsync('record.finished', event),
      () => dataSource.transaction((manager) => notifier.notify('record.finished', event, { manager })),
      () => webhooks.create(USER, webhook),
    ];
    for (const each of work) await expectCleanFailure(each);
    for (const [path, body] of [
      ['/v1/notification', { event_kind: 'RECORD_FINISHED', ...event }],
      ['/v1/webhook', webhook],
    ] as const) {
      const answer = await host.call('POST', path, body);
      expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(answer.text).not.toContain(NEEDLE);
    }
    // Errors that the caller did not get are logged.
    expect(printed.length).toBeGreaterThanOrEqual(3);
    expect(printed.join('\n')).not.toContain(NEEDLE);
    expect(printed.join('\n')).not.toMatch(STATEMENT);
  });

  it('holds no part of a failed read', async () => {
    const webhooks = get(WebhookService);
    const { id } = await webhooks.create(USER, webhook);
    await get(DataSource).query('ALTER TABLE webhook RENAME TO elsewhere_webhook');
    const reads: (() => Promise<unknown>)[] = [
      () => webhooks.find(USER, id),
      () => webhooks.list(USER, { limit: 20 }),
      () => webhooks.secret(USER, id),
      () => webhooks.update(USER, { id, name: NEEDLE }),
      () => webhooks.delete(USER, id),
    ];
    for (const each of reads) await expectCleanFailure(each);
  });
});
