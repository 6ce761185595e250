import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { databases, type TestDatabase } from '../support/databases.js';
import { FaultyProxy } from '../support/proxy.js';
import { createWebhook, newUser, notify } from '../support/scene.js';
import type { Answer } from '../support/service.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const URL = 'http://127.0.0.1:49151/hook';
const NOTHING = 'Nothing was stored';

describe.each(databases.filter(({ name }) => name === 'MariaDB'))(
  'while the tables of $name are locked',
  (kind) => {
    let database: TestDatabase;
    let service: TestService;
    let other: Connection;
    let proxy: FaultyProxy;
    let user: string;

    beforeEach(async () => {
      database = await kind.create();
      const before = await FaultyProxy.before(database.url);
      proxy = before.proxy;
      service = await startService(before.url);
      other = await createConnection(database.url);
      user = newUser();
      await createWebhook(service, user, URL, { enabled: false });
    });
    afterEach(async () => {
      proxy.heal();
      await other.end();
      await service.stop();
      await proxy.close();
      await database.drop();
    });

    const stored = async (table: string) => {
      const [rows] = await other.query(`SELECT id FROM ${table} WHERE user_id = ?`, [user]);
      return (rows as { id: string }[]).length;
    };
    const expectRefused = (answers: Answer[]) => {
      for (const { status, body } of answers) {
        expect([status, body.code]).toEqual([503, 'database_unavailable']);
      }
    };

    it('what is said not to be stored is not stored later, and no answer takes longer than 5 s', async () => {
      await other.query('LOCK TABLES webhook_notification WRITE');
      const startedAt = Date.now();
      const answers: Answer[] = [];
      const calls: Promise<unknown>[] = [];
      let slowest = 0;
      // Calls come all the time, so that some are refused in each state.
      for (let round = 0; round < 30; round++) {
        const calledAt = Date.now();
        calls.push(
          notify(service, user).then((answer) => {
            answers.push(answer);
            slowest = Math.max(slowest, Date.now() - calledAt);
          }),
        );
        const at = startedAt + round * 200;
        await until(() => Date.now() >= at);
      }
      await Promise.all(calls);
      expect(slowest).toBeLessThan(5000);
      expectRefused(answers);
      const unsure = answers.filter(({ body }) => !body.detail.includes(NOTHING)).length;
      await other.query('UNLOCK TABLES');
      const last = await until(async () => {
        const answer = await notify(service, user);
        return answer.status === 202 ? answer : null;
      });
      // What was queued before it has been stored before it, if at all.
      expect(last.body.id).toEqual(expect.any(String));
      expect((await stored('webhook_notification')) - 1).toBeLessThanOrEqual(unsure);
    }, 30_000);

    it('a webhook that is said not to be stored is not stored later', async () => {
      await other.query('LOCK TABLES webhook WRITE');
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          service.call('POST', '/v1/webhook', { name: `n${index}`, url: URL, user_id: user }),
        ),
      );
      expectRefused(answers);
      const unsure = answers.filter(({ body }) => !body.detail.includes(NOTHING)).length;
      await other.query('UNLOCK TABLES');
      // All that were queued have come to their end.
      const pool = (
        service.app.get(DataSource).driver as unknown as {
          pool: { _freeConnections: { length: number }; _allConnections: { length: number } };
        }
      ).pool;
      await until(() => pool._freeConnections.length === pool._allConnections.length);
      expect((await stored('webhook')) - 1).toBeLessThanOrEqual(unsure);
      expect(unsure).toBe(0);
    }, 30_000);

    it('a call whose commit is not answered is told so, and has its first answer when it is repeated', async () => {
      const options = { headers: { 'idempotency-key': 'k' } };
      const report = { event_kind: 'RECORD_FINISHED', user_id: user, record: { id: 'r', analysis: [] } };
      // The row is locked, not the table: the call waits at the database, and the network goes silent meanwhile.
      await other.query('LOCK TABLES webhook_notification WRITE');
      const call = service.call('POST', '/v1/notification', report, options);
      await until(async () => {
        const [rows] = await other.query(
          `SELECT id FROM information_schema.processlist WHERE info LIKE 'INSERT INTO webhook_notification%' AND db = ?`,
          [new globalThis.URL(database.url).pathname.slice(1)],
        );
        return (rows as unknown[]).length > 0;
      });
      proxy.freeze();
      await other.query('UNLOCK TABLES');
      const first = await call;
      expectRefused([first]);
      expect(first.body.detail).toContain('may have been stored');
      expect(first.body.detail).toContain('Idempotency-Key');
      proxy.heal();
      const again = await until(
        async () => {
          const answer = await service.call('POST', '/v1/notification', report, options);
          return answer.status === 202 ? answer : null;
        },
        { withinMs: 20_000 },
      );
      expect(again.body.id).toEqual(expect.any(String));
      expect(await stored('webhook_notification')).toBe(1);
    }, 40_000);
  },
);
