import { beforeEach, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { callDeadline } from '../../../src/platform/call.js';
import { setCallDeadline, useUsualCallDeadline } from '../../support/call-deadline.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { type FaultyProxy, startBehindProxy } from '../../support/proxy.js';
import { newUser, notify } from '../../support/scene.js';
import type { Answer, TestService } from '../../support/service.js';
import { type Stranger, strangerAt } from '../../support/stranger.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const URL = 'http://127.0.0.1:31151/hook';
const NOTHING = 'Nothing was stored';
/** Of the calls that wait for a lock: far below the five seconds that are promised, as a busy machine takes time, too. */
const DEADLINE_MS = 1000;

describeOnMariadb('while tables are locked on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  useUsualCallDeadline();
  let service: TestService;
  let other: Stranger;
  let proxy: FaultyProxy;
  let user: string;

  beforeEach(async () => {
    ({ proxy, service } = await startBehindProxy(database));
    other = await strangerAt(database);
    user = newUser();
    await createWebhook(service, { user_id: user, url: URL, enabled: false });
  });

  const stored = async (table: string) =>
    (await other.query(`SELECT id FROM ${table} WHERE user_id = ?`, [user])).length;
  const expectRefused = (answers: Answer[]) => {
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([503, 'database_unavailable']);
    }
  };

  it('does not store a notification after refusing it as not stored, and answers within 5 s', async () => {
    expect(callDeadline.ms).toBeLessThan(5000);
    await other.query('LOCK TABLES webhook_notification WRITE');
    const asUsual = setCallDeadline(DEADLINE_MS);
    const startedAt = Date.now();
    const answers: Answer[] = [];
    const calls: Promise<unknown>[] = [];
    let slowest = 0;
    // Calls keep coming, so that some are refused in each state.
    for (let round = 0; round < 30; round++) {
      const calledAt = Date.now();
      calls.push(
        notify(service, user).then((answer) => {
          answers.push(answer);
          slowest = Math.max(slowest, Date.now() - calledAt);
        }),
      );
      const at = startedAt + round * 50;
      await until(() => Date.now() >= at);
    }
    await Promise.all(calls);
    asUsual();
    expect(slowest).toBeLessThan(5000);
    expectRefused(answers);
    const unsure = answers.filter(({ body }) => !body.detail.includes(NOTHING)).length;
    await other.query('UNLOCK TABLES');
    const last = await until(async () => {
      const answer = await notify(service, user);
      return answer.status === 202 ? answer : null;
    });
    // Whatever was queued earlier is stored by now, if at all.
    expect(last.body.id).toEqual(expect.any(String));
    expect((await stored('webhook_notification')) - 1).toBeLessThanOrEqual(unsure);
  });

  it('does not store a webhook after refusing it as not stored', async () => {
    await other.query('LOCK TABLES webhook WRITE');
    const asUsual = setCallDeadline(DEADLINE_MS);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.call('POST', '/v1/webhook', { name: `n${index}`, url: URL, user_id: user }),
      ),
    );
    asUsual();
    expectRefused(answers);
    const unsure = answers.filter(({ body }) => !body.detail.includes(NOTHING)).length;
    await other.query('UNLOCK TABLES');
    // All queued calls have finished.
    const pool = (
      service.get(DataSource).driver as unknown as {
        pool: { _freeConnections: { length: number }; _allConnections: { length: number } };
      }
    ).pool;
    await until(() => pool._freeConnections.length === pool._allConnections.length);
    expect((await stored('webhook')) - 1).toBeLessThanOrEqual(unsure);
    expect(unsure).toBe(0);
  });

  it('says that a call may have been stored when its commit gets no answer, and stores it once when it is repeated', async () => {
    const options = { headers: { 'idempotency-key': 'k' } };
    const report = { event_kind: 'RECORD_FINISHED', user_id: user, record: { id: 'r', analysis: [] } };
    // The call waits for the lock at the database while the network goes silent.
    await other.query('LOCK TABLES webhook_notification WRITE');
    const call = service.call('POST', '/v1/notification', report, options);
    await until(async () => {
      const rows = await other.query(
        `SELECT id FROM information_schema.processlist WHERE info LIKE 'INSERT INTO webhook_notification%' AND db = ?`,
        [new globalThis.URL(database.url).pathname.slice(1)],
      );
      return rows.length > 0;
    });
    proxy.freeze();
    await other.query('UNLOCK TABLES');
    const first = await call;
    expectRefused([first]);
    expect(first.body.detail).toContain('may have been stored');
    expect(first.body.detail).toContain('Idempotency-Key');
    proxy.heal();
    const again = await until(async () => {
      const answer = await service.call('POST', '/v1/notification', report, options);
      return answer.status === 202 ? answer : null;
    });
    expect(again.body.id).toEqual(expect.any(String));
    expect(await stored('webhook_notification')).toBe(1);
  });
});
