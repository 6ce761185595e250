import { beforeEach, expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { EntityManager } from 'typeorm';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { ledgerOf } from '../support/change-log.js';
import { describeOnMariadb } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const KIND = 'RECORD_FINISHED';

// SQLite runs one transaction at a time.
describeOnMariadb('cancelling on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' }, 'test');
  let database: Database;
  let webhook: { id: string; events: { id: string; kind: string }[] };
  let eventId: string;
  let connection: Connection;

  beforeEach(async () => {
    webhook = await createWebhook(service, { user_id: 'ada', url: 'http://127.0.0.1:9999' });
    eventId = webhook.events.find((event) => event.kind === KIND)?.id ?? '';
    database = service.get(Database);
    connection = await createConnection(service.database.url);
    service.database.defer(() => connection.end());
    const id = newId();
    await database.query(
      `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_id, event_kind, user_id, status, next_attempt_at)
       VALUES (?, ?, ?, ?, ?, 'ada', 'PENDING', ?)`,
      [id, id, webhook.id, eventId, KIND, Date.now() + 3_600_000],
    );
  });

  const waits = () =>
    until(
      async () => {
        const [rows] = await connection.query<RowDataPacket[]>(
          `SELECT 1 FROM information_schema.INNODB_TRX AS t JOIN information_schema.PROCESSLIST AS p
           ON p.ID = t.trx_mysql_thread_id WHERE p.DB = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
        );
        return rows.length > 0;
      },
      { everyMs: 120, what: 'a wait for a lock' },
    );

  it('goes on although somebody waits for the webhook', async () => {
    await database.query('UPDATE webhook_event SET enabled = 0 WHERE id = ?', [eventId]);
    const other = await createConnection(service.database.url);
    service.database.defer(() => other.end());
    let change: Promise<unknown> = Promise.resolve();
    let runs = 0;
    const paused: Database = Object.assign(Object.create(database), {
      query: async <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
        const found = await database.query<T>(sql, parameters, manager);
        if (/FROM webhook_event/.test(sql) && ++runs === 1) {
          await other.beginTransaction();
          change = other.query('SELECT id FROM webhook WHERE id = ? FOR UPDATE', [webhook.id]);
          await waits();
        }
        return found;
      },
    });
    const signals = new QueueSignals();
    const repository = new CancellationRepository(paused, ledgerOf(paused, signals), signals);
    const left = repository.cancelLeft(webhook.id, null, Date.now());
    expect(await left).toBeNull();
    await change;
    await other.rollback();
    expect(runs).toBe(1);
    expect(await database.query('SELECT status FROM webhook_trigger')).toEqual([{ status: 'CANCELLED' }]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['switched off', () => service.call('PATCH', '/v1/webhook/event', { id: eventId, enabled: false })],
    ['deleted', () => service.call('DELETE', `/v1/webhook/event?id=${eventId}`)],
  ])('an event that is %s waits for a result that is being stored', async (_how, switchOff) => {
    await connection.beginTransaction();
    const shared = 'AND enabled = 1 LOCK IN SHARE MODE';
    await connection.query(`SELECT id FROM webhook WHERE id = ? ${shared}`, [webhook.id]);
    const answer = switchOff();
    await waits();
    const [events] = await connection.query(`SELECT id FROM webhook_event WHERE id = ? ${shared}`, [eventId]);
    expect(events).toHaveLength(1);
    await connection.commit();
    expect(await answer).toMatchObject({ status: 200 });
    expect(await database.query('SELECT status FROM webhook_trigger')).toEqual([{ status: 'CANCELLED' }]);
  });
});
