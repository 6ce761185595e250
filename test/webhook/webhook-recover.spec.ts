import { describe, expect, it } from '@jest/globals';
import { v7 } from 'uuid';
import { newId } from '../../src/common/ids.js';
import { Database } from '../../src/database/database.js';
import { QueueSignals } from '../../src/trigger/queue-signals.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Json = any;

const HOUR_MS = 3_600_000;
const LONG_AGO = '2020-01-01T00:00:00Z';
const NOBODY_LISTENS = 'http://127.0.0.1:49151/hooks';
const COLUMNS = ['id', 'notification_id', 'webhook_id', 'event_id', 'event_kind', 'user_id', 'status']
  .concat(['next_attempt_at', 'end_at'])
  .concat(['attempt_count', 'schedule_offset', 'lease']);
const ATTEMPTS = 8;

const iso = (time: number) => new Date(time).toISOString();

describe.each(databases)('recovery on $name', (kind) => {
  const recoverBy = (service: TestService, id: string, more: object = {}, key?: string) =>
    service.call('POST', '/v1/webhook/recover', { id, since: LONG_AGO, ...more }, key ? { key } : {});
  const switched = (service: TestService, id: string, enabled: boolean) =>
    service.call('PATCH', '/v1/webhook', { id, enabled });

  describe('while triggers are sent', () => {
    const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.02' });
    const receiver = useReceiver();

    it('delivers failed triggers, on a new retry schedule', async () => {
      const user = newUser();
      const { id: webhookId } = await createWebhook(service, {
        user_id: user,
        url: `${receiver.url}/failed`,
      });
      receiver.respondWith('/failed', { status: 500 });
      const ids = [await trigger(service, user), await trigger(service, user)];
      for (const id of ids)
        expect(await finished(service, id)).toMatchObject({ status: 'FAILED', attempt_count: 2 });
      receiver.respondWith('/failed', ({ headers }) => ({
        status: headers['webhook-attempt'] === '3' ? 500 : 200,
      }));
      expect(await recoverBy(service, webhookId)).toMatchObject({ status: 202, body: { triggers: 2 } });
      for (const id of ids) {
        const done = await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
        expect(done.attempts.map(({ number }: Json) => number)).toEqual([1, 2, 3, 4]);
      }
      expect((await recoverBy(service, webhookId)).body).toEqual({ triggers: 0 });
    });

    it('delivers triggers that were cancelled because the webhook was off', async () => {
      const user = newUser();
      const { id: webhookId } = await createWebhook(service, { user_id: user, url: `${receiver.url}/off` });
      receiver.respondWith('/off', [{ status: 410 }, {}]);
      const id = await trigger(service, user);
      await until(async () => !(await service.call('GET', `/v1/webhook?id=${webhookId}`)).body.enabled);
      await finished(service, id);
      expectProblem(await recoverBy(service, webhookId), 409, 'webhook_disabled');
      expect((await recoverBy(service, webhookId, { dry_run: true })).body).toEqual({ triggers: 1 });
      await switched(service, webhookId, true);
      expect(await recoverBy(service, webhookId)).toMatchObject({ status: 202, body: { triggers: 1 } });
      await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
    });
  });

  describe('while nothing is sent', () => {
    const service = useService(kind, { ROLE: 'api' });

    const recover = (id: string, more: object = {}, key?: string) => recoverBy(service, id, more, key);
    const count = async (id: string, more: object = {}) =>
      (await recover(id, { ...more, dry_run: true })).body.triggers;
    const webhook = (user = newUser()) => createWebhook(service, { user_id: user, url: NOBODY_LISTENS });
    const rowsOf = (webhookId: string): Promise<Json[]> =>
      service.app
        .get(Database, { strict: false })
        .query('SELECT * FROM webhook_trigger WHERE webhook_id = ? ORDER BY id', [webhookId]);

    /** Stores finished triggers created at these times (ms). @returns their ids */
    async function store(
      of: Json,
      madeAt: number[],
      more: { status?: string; eventId?: string | null } = {},
    ) {
      const { status = 'FAILED', eventId = of.events[0].id } = more;
      const rows = madeAt.map((msecs) => [
        ...[v7({ msecs }), newId(), of.id, eventId, 'RECORD_FINISHED', of.user_id, status],
        ...[0, msecs + 1],
        ...[ATTEMPTS, 0, 3],
      ]);
      const db = service.app.get(Database, { strict: false });
      await db.transaction((manager) =>
        db.insertMany(manager, { table: 'webhook_trigger', columns: COLUMNS, rows }),
      );
      return rows.map(([id]) => id as string);
    }

    it('returns only failed and cancelled triggers of that webhook to the queue', async () => {
      const mine = await webhook();
      const now = Date.now();
      const wanted = [
        ...(await store(mine, [now - 3000])),
        ...(await store(mine, [now - 2000], { status: 'CANCELLED' })),
      ];
      await store(mine, [now - 1000], { status: 'SUCCEEDED' });
      await store(mine, [now - 1000], { eventId: null });
      await store(mine, [now - 1000], { eventId: NO_ID });
      const other = await webhook();
      await store(other, [now - 1000]);
      expect(await count(mine.id)).toBe(2);
      expect(await recover(mine.id)).toMatchObject({ status: 202, body: { triggers: 2 } });
      const rows = await rowsOf(mine.id);
      const pending = rows.filter(({ status }) => status === 'PENDING');
      expect(pending.map(({ id }) => id)).toEqual(wanted);
      expect(rows).toHaveLength(5);
      expect(await rowsOf(other.id)).toMatchObject([{ status: 'FAILED' }]);
    });

    it('leaves out triggers whose event is disabled or deleted', async () => {
      const mine = await webhook();
      const [first, second] = mine.events;
      await store(mine, [Date.now()], { eventId: first.id });
      await store(mine, [Date.now()], { eventId: second.id });
      expect(await count(mine.id)).toBe(2);
      await service.call('PATCH', '/v1/webhook/event', { id: first.id, enabled: false });
      expect(await count(mine.id)).toBe(1);
      await service.call('DELETE', `/v1/webhook/event?id=${second.id}`);
      expect(await count(mine.id)).toBe(0);
      expect((await recover(mine.id)).body).toEqual({ triggers: 0 });
      await service.call('PATCH', '/v1/webhook/event', { id: first.id, enabled: true });
      expect((await recover(mine.id)).body).toEqual({ triggers: 1 });
    });

    it('recovers what a webhook missed while it was switched off, once it is on again', async () => {
      const user = newUser();
      const mine = await webhook(user);
      for (const _ of [1, 2, 3]) await notify(service, user);
      await switched(service, mine.id, false);
      expect(await rowsOf(mine.id)).toMatchObject(Array(3).fill({ status: 'CANCELLED' }));
      expectProblem(await recover(mine.id), 409, 'webhook_disabled');
      expect(await rowsOf(mine.id)).toMatchObject(Array(3).fill({ status: 'CANCELLED' }));
      expect(await count(mine.id)).toBe(3);
      await switched(service, mine.id, true);
      expect((await recover(mine.id)).body).toEqual({ triggers: 3 });
      expect(await rowsOf(mine.id)).toMatchObject(Array(3).fill({ status: 'PENDING' }));
    });

    it('selects by creation time, including both ends', async () => {
      const mine = await webhook();
      const at = Date.now() - HOUR_MS;
      const ids = await store(mine, [at - 1, at, at, at + 5, at + 6]);
      const inside = { since: iso(at), until: iso(at + 5) };
      expect(await count(mine.id, inside)).toBe(3);
      expect(await count(mine.id, { since: iso(at + 6) })).toBe(1);
      expect(await count(mine.id, { since: iso(at + 6), until: iso(at + 6) })).toBe(1);
      expect(await count(mine.id, { since: iso(at + 7) })).toBe(0);
      const berlin = `${iso(at + 2 * HOUR_MS).slice(0, -1)}+02:00`;
      expect(await count(mine.id, { since: berlin })).toBe(4);
      expect((await recover(mine.id, inside)).body).toEqual({ triggers: 3 });
      const pending = (await rowsOf(mine.id)).filter(({ status }) => status === 'PENDING');
      expect(pending.map(({ id }) => id).sort()).toEqual(ids.slice(1, 4).sort());
    });

    it('changes nothing on a dry run', async () => {
      const mine = await webhook();
      await store(mine, [Date.now()]);
      const before = await rowsOf(mine.id);
      let signals = 0;
      const unsubscribe = service.app
        .get(QueueSignals, { strict: false })
        .subscribe({ returned: () => signals++ });
      expect(await recover(mine.id, { dry_run: true })).toMatchObject({ status: 202, body: { triggers: 1 } });
      expect([await rowsOf(mine.id), signals]).toEqual([before, 0]);
      expect((await recover(mine.id, { dry_run: false })).body).toEqual({ triggers: 1 });
      expect(await rowsOf(mine.id)).not.toEqual(before);
      expect(signals).toBe(1);
      unsubscribe();
    });

    it('makes ten a second due, oldest first, after those of an earlier call', async () => {
      const mine = await webhook();
      const at = Date.now() - HOUR_MS;
      await store(
        mine,
        Array.from({ length: 2500 }, (_, i) => at + i),
      );
      const begun = Date.now();
      expect((await recover(mine.id)).body).toEqual({ triggers: 2500 });
      const rows = await rowsOf(mine.id);
      const begin = Number(rows[0].next_attempt_at);
      expect(begin).toBeGreaterThanOrEqual(begun);
      expect(begin).toBeLessThanOrEqual(Date.now());
      expect(rows.map((row) => Number(row.next_attempt_at) - begin)).toEqual(rows.map((_, i) => i * 100));
      expect(rows.map((row) => Number(row.end_at))).toEqual(rows.map(() => 0));
      const fresh = { status: 'PENDING', attempt_count: ATTEMPTS, schedule_offset: ATTEMPTS };
      expect(rows).toMatchObject(Array(2500).fill({ ...fresh, lease: 4 }));

      const [earlier] = await store(mine, [at - 1]);
      expect((await recover(mine.id)).body).toEqual({ triggers: 1 });
      const next = (await rowsOf(mine.id)).find(({ id }) => id === earlier);
      expect(Number(next.next_attempt_at) - begin).toBe(2500 * 100);
    });

    it('counts each trigger once when calls come at the same time', async () => {
      const mine = await webhook();
      const at = Date.now() - HOUR_MS;
      const size = 2200;
      await store(
        mine,
        Array.from({ length: size }, (_, i) => at + i),
      );
      const answers = await Promise.all([1, 2, 3, 4].map(() => recover(mine.id)));
      for (const answer of answers) expect(answer.status).toBe(202);
      expect(answers.reduce((sum, { body }) => sum + body.triggers, 0)).toBe(size);
      const rows = await rowsOf(mine.id);
      expect(rows).toMatchObject(Array(size).fill({ status: 'PENDING', lease: 4 }));
      const last = Math.max(...rows.map((row) => Number(row.next_attempt_at)));
      expect(last - Date.now()).toBeGreaterThan((size - 100) * 100 - 10_000);
    });

    it('recovers up to 50,000 triggers in time, and refuses more', async () => {
      const mine = await webhook();
      const at = Date.now() - HOUR_MS;
      await store(
        mine,
        Array.from({ length: 50_001 }, (_, i) => at + i),
      );
      const all = await recover(mine.id);
      expectProblem(all, 422, 'too_many_triggers');
      expect(await count(mine.id)).toBe(50_001);
      const most = await recover(mine.id, { since: iso(at + 1) });
      expect(most).toMatchObject({ status: 202, body: { triggers: 50_000 } });
      expect((await recover(mine.id)).body).toEqual({ triggers: 1 });
    }, 60_000);

    it('is only for the owner with the scope', async () => {
      const user = newUser();
      const mine = await webhook(user);
      await store(mine, [Date.now()]);
      expectProblem(await recover(NO_ID), 404, 'not_found');
      const others = await service.keyFor(newUser(), 'webhooks:write');
      for (const dry_run of [true, false])
        expectProblem(await recover(mine.id, { dry_run }, others), 404, 'not_found');
      const reader = await service.keyFor(user, 'webhooks:read', 'notifications:write');
      expectProblem(await recover(mine.id, {}, reader), 403, 'forbidden');
      expect(await rowsOf(mine.id)).toMatchObject([{ status: 'FAILED' }]);
      const writer = await service.keyFor(user, 'webhooks:write');
      expect((await recover(mine.id, {}, writer)).body).toEqual({ triggers: 1 });
    });

    it.each([
      [{ since: undefined }, ['/since']],
      [{ since: 'yesterday', until: 1 }, ['/since', '/until']],
      [{ since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, ['/since']],
      [{ since: '2126-01-01T00:00:00Z' }, ['/since']],
      [{ id: 'x', dry_run: 'yes', webhook_id: NO_ID }, ['/id', '/dry_run', '/webhook_id']],
    ])('refuses %j', async (more, pointers) => {
      const { id } = await webhook();
      expectProblem(await recover(id, more), 400, 'validation_failed', pointers);
    });
  });
});
