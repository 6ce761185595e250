import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import type { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import type { Answer } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { type Stranger, strangerAt } from '../support/stranger.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { cancellationsOn, storeWaiting, type WaitingTrigger } from './waiting.js';

const MANY = 1203;

describe.each(databases)('cancelling waiting triggers on $name', (kind) => {
  // A process that does not send finishes what it was called for, and nothing that another one left.
  const service = useService(kind, { ROLE: 'api' });
  let dueAt = Date.now() + 3_600_000;
  let database: Database;
  let webhook: { id: string; events: { id: string; kind: string }[] };

  beforeAll(() => {
    database = service.get(Database);
  });
  beforeEach(async () => {
    webhook = await createWebhook(service, { user_id: 'ada' });
  });

  const eventOf = (name: string) => webhook.events.find((event) => event.kind === name)?.id ?? '';

  /** Queues `count` triggers behind all others, due later. @returns their ids in queue order */
  const waiting = (count: number, more: Partial<WaitingTrigger> = {}) => {
    const of = { webhookId: webhook.id, eventId: eventOf('RECORD_FINISHED'), ...more };
    return storeWaiting(
      database,
      Array.from({ length: count }, () => ({ ...of, dueAt: dueAt++ })),
    );
  };

  /** The number of triggers of a webhook by status. */
  async function states(webhookId = webhook.id): Promise<Record<string, number>> {
    const rows = await database.query<{ status: string; count: number | string }[]>(
      'SELECT status, COUNT(*) AS count FROM webhook_trigger WHERE webhook_id = ? GROUP BY status',
      [webhookId],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  }

  const left = () => database.query('SELECT * FROM webhook_cancellation WHERE webhook_id = ?', [webhook.id]);
  const ended = () =>
    until(async () => ((await left()) as unknown[]).length === 0, { what: 'the end of cancelling' });
  const switchOff = () => service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });

  /** Switches the webhook off like a process that dies right after its commit. */
  async function switchOffAndDie(): Promise<CancellationRepository> {
    const cancellations = cancellationsOn(database);
    await database.transaction(async (manager) => {
      await database.query('UPDATE webhook SET enabled = 0 WHERE id = ?', [webhook.id], manager);
      await cancellations.cancelFirst(manager, { webhookId: webhook.id }, Date.now());
    });
    expect(await states()).toEqual({ CANCELLED: 500, PENDING: MANY - 500 });
    return cancellations;
  }

  it('is complete when the call answers, if there are few', async () => {
    await waiting(400);
    await switchOff();
    expect([await states(), await left()]).toEqual([{ CANCELLED: 400 }, []]);
  });

  const all = { CANCELLED: MANY + 3 };
  const ofOneEvent = { CANCELLED: MANY, PENDING: 3 };
  const theEvent = () => eventOf('RECORD_FINISHED');
  type Ending = [how: string, end: () => Promise<Answer>, found: Record<string, number>];
  const ofWebhook: Ending[] = [
    ['switched off', switchOff, all],
    ['deleted', () => service.call('DELETE', `/v1/webhook?id=${webhook.id}`), all],
  ];
  const ofEvent: Ending[] = [
    ['without its event', () => service.call('DELETE', `/v1/webhook/event?id=${theEvent()}`), ofOneEvent],
    [
      'with its event off',
      () => service.call('PATCH', '/v1/webhook/event', { id: theEvent(), enabled: false }),
      ofOneEvent,
    ],
  ];

  it.each([...ofWebhook, ...ofEvent])(
    'continues after the answer for a webhook %s, and spares all others',
    async (_how, end, found) => {
      const other = await createWebhook(service, { user_id: 'ada' });
      await waiting(3, { webhookId: other.id });
      await waiting(MANY);
      await waiting(2, { eventId: eventOf('STATUS_CHANGED') });
      // A test.
      await waiting(1, { eventId: null });
      expect(await end()).toMatchObject({ status: 200 });
      await ended();
      expect(await states()).toEqual(found);
      expect(await states(other.id)).toEqual({ PENDING: 3 });
    },
  );

  it('finds triggers queued before and behind thousands of others', async () => {
    const other = newId();
    await waiting(1);
    await waiting(11_000, { webhookId: other });
    await waiting(2);
    await switchOff();
    await ended();
    expect([await states(), await states(other)]).toEqual([{ CANCELLED: 3 }, { PENDING: 11_000 }]);
    await database.query('DELETE FROM webhook_trigger');
  });

  it('stops when the webhook is switched on again meanwhile', async () => {
    await waiting(MANY);
    const cancellations = await switchOffAndDie();
    const next = await cancellations.cancelLeft(webhook.id, null, Date.now());
    expect(next).not.toBeNull();
    await database.query('UPDATE webhook SET enabled = 1 WHERE id = ?', [webhook.id]);
    expect(await cancellations.cancelLeft(webhook.id, next, Date.now())).toBeNull();
    expect(await states()).toEqual({ CANCELLED: 1000, PENDING: MANY - 1000 });
  });

  // SQLite runs one transaction at a time.
  if (kind.name === 'MariaDB')
    describe('beside the transactions of others', () => {
      let stranger: Stranger;

      beforeEach(async () => {
        stranger = await strangerAt(service.database);
      });

      const somebodyWaits = () =>
        until(
          async () => {
            const rows = await stranger.query(
              `SELECT 1 FROM information_schema.INNODB_TRX AS t JOIN information_schema.PROCESSLIST AS p
               ON p.ID = t.trx_mysql_thread_id WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
            );
            return rows.length > 0;
          },
          { everyMs: 120, what: 'a wait for a lock' },
        );

      it('answers without waiting for one that locks one of many triggers', async () => {
        const ids = await waiting(MANY);
        await stranger.lock('webhook_trigger', [ids[1100] as string]);
        expect(await switchOff()).toMatchObject({ status: 200, body: { enabled: false } });
        await stranger.letGo();
        await ended();
        expect(await states()).toEqual({ CANCELLED: MANY });
      });

      it('goes on although one waits for the webhook', async () => {
        await waiting(1);
        await database.query('UPDATE webhook_event SET enabled = 0 WHERE id = ?', [theEvent()]);
        const waiter = await strangerAt(service.database);
        let change: Promise<unknown> = Promise.resolve();
        let runs = 0;
        const paused: Database = Object.assign(Object.create(database), {
          query: async <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
            const found = await database.query<T>(sql, parameters, manager);
            if (/FROM webhook_event/.test(sql) && ++runs === 1) {
              change = waiter.lock('webhook', [webhook.id]);
              await somebodyWaits();
            }
            return found;
          },
        });
        expect(await cancellationsOn(paused).cancelLeft(webhook.id, null, Date.now())).toBeNull();
        await change;
        await waiter.letGo();
        expect(runs).toBe(1);
        expect(await states()).toEqual({ CANCELLED: 1 });
      });

      it.each(ofEvent)('waits, for a webhook %s, for a result that is being stored', async (_how, end) => {
        await waiting(1);
        const shared = 'AND enabled = 1 LOCK IN SHARE MODE';
        await stranger.query(`SELECT id FROM webhook WHERE id = ? ${shared}`, [webhook.id]);
        const answer = end();
        await somebodyWaits();
        const event = `SELECT id FROM webhook_event WHERE id = ? ${shared}`;
        expect(await stranger.query(event, [theEvent()])).toHaveLength(1);
        await stranger.letGo();
        expect(await answer).toMatchObject({ status: 200 });
        expect(await states()).toEqual({ CANCELLED: 1 });
      });
    });

  // The last one, as it stops the service.
  it('continues at the next start', async () => {
    await waiting(MANY);
    await switchOffAndDie();
    await service.stop();
    const next = await service.database.start();
    database = next.get(Database);
    await ended();
    expect(await states()).toEqual({ CANCELLED: MANY });
  });
});
