import { describe, expect, it } from '@jest/globals';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import {
  count,
  ended,
  HOUR_MS,
  type Json,
  recover,
  recovered,
  recovery,
  recoveryWhen,
  rowsOf,
  stop,
  store,
} from '../../webhook/recovery/scene.js';

describe.each(databases)('recovering a webhook on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.02' });
  const receiver = useReceiver();
  const manyOf = async (user: string, path: string, many: number): Promise<Json> => {
    const mine = await createWebhook(service, { user_id: user, url: receiver.url + path });
    const at = Date.now() - HOUR_MS;
    await store(
      service,
      mine,
      Array.from({ length: many }, (_, i) => at + i),
    );
    return mine;
  };
  const arrivals = (path: string) => receiver.requests.filter((request: Json) => request.path === path);

  it('delivers failed triggers, on a new retry schedule', async () => {
    const user = newUser();
    const { id: webhookId } = await createWebhook(service, { user_id: user, url: `${receiver.url}/failed` });
    receiver.respondWith('/failed', { status: 500 });
    const ids = [await trigger(service, user), await trigger(service, user)];
    for (const id of ids)
      expect(await finished(service, id)).toMatchObject({ status: 'FAILED', attempt_count: 2 });
    receiver.respondWith('/failed', ({ headers }) => ({
      status: headers['webhook-attempt'] === '3' ? 500 : 200,
    }));
    expect(await recover(service, webhookId)).toMatchObject({ status: 202, body: { triggers: 2 } });
    for (const id of ids) {
      const done = await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
      expect(done.attempts.map(({ number }: Json) => number)).toEqual([1, 2, 3, 4]);
    }
    await until(async () => (await recover(service, webhookId)).body.triggers === 0);
  });

  it('delivers triggers that were cancelled because the webhook was off', async () => {
    const user = newUser();
    const { id: webhookId } = await createWebhook(service, { user_id: user, url: `${receiver.url}/off` });
    receiver.respondWith('/off', [{ status: 410 }, {}]);
    const id = await trigger(service, user);
    await until(async () => !(await service.call('GET', `/v1/webhook?id=${webhookId}`)).body.enabled);
    await finished(service, id);
    expectProblem(await recover(service, webhookId), 409, 'webhook_disabled');
    expect(await count(service, webhookId)).toBe(1);
    await service.call('PATCH', '/v1/webhook', { id: webhookId, enabled: true });
    await recovered(service, webhookId);
    await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
  });

  it('sends at its pace, each once, and stops within a second', async () => {
    const mine = await manyOf(newUser(), '/pace', 400);
    const { body } = await recover(service, mine.id, { per_second: 40 });
    await until(() => arrivals('/pace').length > 0, { withinMs: 2000 });
    const begin = Date.now();
    await until(() => arrivals('/pace').length >= 160);
    const perSecond = arrivals('/pace').length / ((Date.now() - begin) / 1000);
    expect(perSecond).toBeGreaterThan(32);
    expect(perSecond).toBeLessThan(48);
    const { body: stopped } = await stop(service, body.id);
    expect(stopped).toMatchObject({ state: 'STOPPED', total: 400 });
    await until(() => arrivals('/pace').length === stopped.done, { withinMs: 1500 });
    expect(await recovery(service, body.id)).toEqual(stopped);
    const rows = await rowsOf(service, mine.id);
    expect(rows.filter(({ status }) => status === 'FAILED')).toHaveLength(400 - stopped.done);
    expect(new Set(arrivals('/pace').map(({ headers }: Json) => headers['webhook-id'])).size).toBe(
      stopped.done,
    );
    // Another one takes the rest.
    expect(await recovered(service, mine.id)).toMatchObject({ done: 400 - stopped.done, state: 'DONE' });
    await until(() => arrivals('/pace').length === 400);
  }, 30_000);

  it('waits for a receiver that is down, and goes on when it is back', async () => {
    const mine = await manyOf(newUser(), '/down', 200);
    receiver.respondWith('/down', { status: 503 });
    const { body } = await recover(service, mine.id, { per_second: 20 });
    await recoveryWhen(service, body.id, ({ done }) => done >= 60);
    const look = async () => ({ at: Date.now(), done: (await recovery(service, body.id)).done });
    let since = await look();
    // The pauses of its receiver grow, until it makes less than half as many due as at its pace.
    await until(async () => {
      if (Date.now() < since.at + 1000) return false;
      const before = since;
      since = await look();
      return since.done - before.done < (10 * (since.at - before.at)) / 1000;
    });
    expect(since.done).toBeLessThan(200);
    receiver.respondWith('/down', {});
    await ended(service, body.id, 60_000);
  }, 90_000);

  it('recovers several webhooks at once, each at its own pace', async () => {
    const [slow, fast] = await Promise.all([
      manyOf(newUser(), '/slow-pace', 60),
      manyOf(newUser(), '/fast-pace', 600),
    ]);
    const begin = performance.now();
    const { body: one } = await recover(service, slow.id, { per_second: 10 });
    const { body: other } = await recover(service, fast.id, { per_second: 300 });
    await ended(service, other.id);
    // A second's worth is due together, about.
    const { done } = await recovery(service, one.id);
    expect(done).toBeLessThanOrEqual(Math.min(59, 10 * (1 + (performance.now() - begin) / 1000)));
    await ended(service, one.id);
    await until(() => arrivals('/slow-pace').length === 60 && arrivals('/fast-pace').length === 600);
  }, 40_000);
});
