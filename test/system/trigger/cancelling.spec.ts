import { beforeEach, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import type { EntityManager } from 'typeorm';
import { CancellationRepository } from '../../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../../src/engine/ledger/queue-signals.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { ledgerOf } from '../../support/change-log.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const MANY = 1203;
const LATER = Date.now() + 3_600_000;
const NOBODY_LISTENS = 'http://127.0.0.1:9999';
const KIND = 'RECORD_FINISHED';

describe.each(databases)('cancelling waiting triggers on $name', (kind) => {
  const service = useService(kind, {}, 'test');
  let database: Database;
  let webhook: { id: string; events: { id: string; kind: string }[] };

  beforeEach(async () => {
    webhook = await createWebhook(service, { user_id: 'ada', url: NOBODY_LISTENS });
    const dataSource = await createDataSource(dataSourceOptions(service.database.url)).initialize();
    service.database.defer(() => dataSource.destroy());
    database = new Database(dataSource);
  });

  const eventOf = (name: string) => webhook.events.find((event) => event.kind === name)?.id ?? '';

  /** Queues `count` triggers, all due later. @returns their ids in queue order */
  async function waiting(count: number, more: { webhookId?: string; eventId?: string | null } = {}) {
    const { webhookId = webhook.id, eventId = eventOf(KIND) } = more;
    const ids = Array.from({ length: count }, () => newId());
    const columns = [
      'id',
      'notification_id',
      'webhook_id',
      'event_id',
      'event_kind',
      'user_id',
      'status',
      'next_attempt_at',
    ];
    const rows = ids.map((id, at) => [id, id, webhookId, eventId, KIND, 'ada', 'PENDING', LATER + at]);
    await database.transaction((manager) =>
      database.insertMany(manager, { table: 'webhook_trigger', columns, rows }),
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

  const left = () => database.query<unknown[]>('SELECT * FROM webhook_cancellation');
  const cancelled = (count: number) =>
    until(async () => (await states()).CANCELLED === count && (await left()).length === 0, {
      withinMs: 15_000,
      what: 'cancelling',
    });

  /** Switches the webhook off like a process that dies right after its commit. */
  async function switchOffAndDie(): Promise<CancellationRepository> {
    await service.stop();
    const signals = new QueueSignals();
    const repository = new CancellationRepository(database, ledgerOf(database, signals), signals);
    await database.transaction(async (manager: EntityManager) => {
      await database.query('UPDATE webhook SET enabled = 0 WHERE id = ?', [webhook.id], manager);
      await repository.cancelPending(manager, { webhookId: webhook.id }, Date.now());
    });
    return repository;
  }

  it('is complete when the call answers, if there are few', async () => {
    await waiting(400);
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });
    expect([await states(), await left()]).toEqual([{ CANCELLED: 400 }, []]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['switched off', () => service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false })],
    ['deleted', () => service.call('DELETE', `/v1/webhook?id=${webhook.id}`)],
    ['without its event', () => service.call('DELETE', `/v1/webhook/event?id=${eventOf(KIND)}`)],
    [
      'with its event off',
      () => service.call('PATCH', '/v1/webhook/event', { id: eventOf(KIND), enabled: false }),
    ],
  ])('continues after the answer for a webhook %s, and spares other webhooks', async (_how, switchOff) => {
    const other = await createWebhook(service, { user_id: 'ada', url: NOBODY_LISTENS });
    await waiting(3, { webhookId: other.id });
    await waiting(MANY);
    expect(await switchOff()).toMatchObject({ status: 200 });
    await cancelled(MANY);
    expect(await states(other.id)).toEqual({ PENDING: 3 });
  });

  it('finds triggers queued behind thousands of others', async () => {
    const other = await createWebhook(service, { user_id: 'ada', url: NOBODY_LISTENS });
    await waiting(11_000, { webhookId: other.id });
    await waiting(2);
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });
    await cancelled(2);
    expect(await states(other.id)).toEqual({ PENDING: 11_000 });
  });

  it('spares tests and triggers of another event', async () => {
    await waiting(MANY);
    await waiting(2, { eventId: eventOf('STATUS_CHANGED') });
    await waiting(1, { eventId: null });
    await service.call('DELETE', `/v1/webhook/event?id=${eventOf(KIND)}`);
    await cancelled(MANY);
    expect(await states()).toEqual({ CANCELLED: MANY, PENDING: 3 });
  });

  it('continues at the next start', async () => {
    await waiting(MANY);
    await switchOffAndDie();
    expect(await states()).toEqual({ CANCELLED: 500, PENDING: MANY - 500 });
    await service.database.start();
    await cancelled(MANY);
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

  if (kind.name === 'SQLite') return;

  it('answers without waiting for a transaction that locks one of many triggers', async () => {
    const ids = await waiting(MANY);
    const connection = await createConnection(service.database.url);
    await connection.beginTransaction();
    await connection.query('SELECT id FROM webhook_trigger WHERE id = ? FOR UPDATE', [ids[1100]]);
    const answer = await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false });
    expect(answer).toMatchObject({ status: 200, body: { enabled: false } });
    await connection.rollback();
    await connection.end();
    await cancelled(MANY);
  });
});
