import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { ledgerOf } from '../support/change-log.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const MANY = 1203;
const KIND = 'RECORD_FINISHED';

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
  async function waiting(count: number, more: { webhookId?: string; eventId?: string | null } = {}) {
    const { webhookId = webhook.id, eventId = eventOf(KIND) } = more;
    const ids = Array.from({ length: count }, () => newId());
    const columns = 'id,notification_id,webhook_id,event_id,event_kind,user_id,status,next_attempt_at';
    const rows = ids.map((id) => [id, id, webhookId, eventId, KIND, 'ada', 'PENDING', dueAt++]);
    await database.transaction((manager) =>
      database.insertMany(manager, { table: 'webhook_trigger', columns: columns.split(','), rows }),
    );
    return ids;
  }

  /** The number of triggers of a webhook by status. */
  async function states(webhookId = webhook.id): Promise<Record<string, number>> {
    const rows = await database.query<{ status: string; count: number | string }[]>(
      'SELECT status, COUNT(*) AS count FROM webhook_trigger WHERE webhook_id = ? GROUP BY status',
      [webhookId],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  }

  const left = () =>
    database.query<unknown[]>('SELECT * FROM webhook_cancellation WHERE webhook_id = ?', [webhook.id]);
  const ended = () => until(async () => (await left()).length === 0, { what: 'the end of cancelling' });
  const switchOff = () => service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });

  /** Switches the webhook off like a process that dies right after its commit. */
  async function switchOffAndDie(): Promise<CancellationRepository> {
    const signals = new QueueSignals();
    const repository = new CancellationRepository(database, ledgerOf(database, signals), signals);
    await database.transaction(async (manager) => {
      await database.query('UPDATE webhook SET enabled = 0 WHERE id = ?', [webhook.id], manager);
      await repository.cancelPending(manager, { webhookId: webhook.id }, Date.now());
    });
    expect(await states()).toEqual({ CANCELLED: 500, PENDING: MANY - 500 });
    return repository;
  }

  it('is complete when the call answers, if there are few', async () => {
    await waiting(400);
    await switchOff();
    expect([await states(), await left()]).toEqual([{ CANCELLED: 400 }, []]);
  });

  const all = { CANCELLED: MANY + 3 };
  const ofOneEvent = { CANCELLED: MANY, PENDING: 3 };

  it.each<[string, () => [method: string, path: string, body?: object], Record<string, number>]>([
    ['switched off', () => ['PATCH', '/v1/webhook', { id: webhook.id, enabled: false }], all],
    ['deleted', () => ['DELETE', `/v1/webhook?id=${webhook.id}`], all],
    ['without its event', () => ['DELETE', `/v1/webhook/event?id=${eventOf(KIND)}`], ofOneEvent],
    [
      'with its event off',
      () => ['PATCH', '/v1/webhook/event', { id: eventOf(KIND), enabled: false }],
      ofOneEvent,
    ],
  ])('continues after the answer for a webhook %s, and spares all others', async (_how, call, found) => {
    const other = await createWebhook(service, { user_id: 'ada' });
    await waiting(3, { webhookId: other.id });
    await waiting(MANY);
    // Another event, and a test.
    await waiting(2, { eventId: eventOf('STATUS_CHANGED') });
    await waiting(1, { eventId: null });
    expect(await service.call(...call())).toMatchObject({ status: 200 });
    await ended();
    expect(await states()).toEqual(found);
    expect(await states(other.id)).toEqual({ PENDING: 3 });
  });

  it('finds triggers queued behind thousands of others', async () => {
    const other = newId();
    await waiting(11_000, { webhookId: other });
    await waiting(2);
    await switchOff();
    await ended();
    expect([await states(), await states(other)]).toEqual([{ CANCELLED: 2 }, { PENDING: 11_000 }]);
    await database.query('DELETE FROM webhook_trigger');
  });

  const onMariadb = kind.name === 'MariaDB' ? it : it.skip;

  onMariadb('answers without waiting for a transaction that locks one of many triggers', async () => {
    const ids = await waiting(MANY);
    const connection = await createConnection(service.database.url);
    await connection.beginTransaction();
    await connection.query('SELECT id FROM webhook_trigger WHERE id = ? FOR UPDATE', [ids[1100]]);
    expect(await switchOff()).toMatchObject({ status: 200, body: { enabled: false } });
    await connection.rollback();
    await connection.end();
    await ended();
    expect(await states()).toEqual({ CANCELLED: MANY });
  });

  it('stops when the webhook is switched on again meanwhile', async () => {
    await waiting(MANY);
    const repository = await switchOffAndDie();
    const next = await repository.cancelLeft(webhook.id, null, Date.now());
    expect(next).not.toBeNull();
    await database.query('UPDATE webhook SET enabled = 1 WHERE id = ?', [webhook.id]);
    expect(await repository.cancelLeft(webhook.id, next, Date.now())).toBeNull();
    expect(await states()).toEqual({ CANCELLED: 1000, PENDING: MANY - 1000 });
  });

  // The last one, as it stops the service.
  it('continues at the next start', async () => {
    await waiting(MANY);
    await switchOffAndDie();
    await service.stop();
    const next = await service.database.start();
    database = next.app.get(Database, { strict: false });
    await ended();
    expect(await states()).toEqual({ CANCELLED: MANY });
  });
});
