import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { NotificationErasure } from '../../src/index.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('retrying many triggers on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();
  beforeAll(() => receiver.respondWith('/fails', { status: 500 }));

  const retry = (body: object, key?: string) =>
    service.call('POST', '/v1/webhook/trigger/retry', body, key ? { key } : {});
  const webhook = (user_id: string, path = '/ok') =>
    createWebhook(service, { user_id, url: receiver.url + path, events: ['RECORD_FINISHED'] });
  /** Resolves once all triggers of a user are as expected. */
  const all = (userId: string, holds: (trigger: { status: string; attempt_count: number }) => boolean) =>
    until(async () => {
      const { body } = await service.call('GET', `/v1/webhook/trigger/list?user_id=${userId}&limit=100`);
      return body.data.every(holds);
    });
  const ended = ['SUCCEEDED', 'FAILED', 'CANCELLED'];
  async function delivered(user: string, count: number): Promise<string[]> {
    const ids = await Promise.all(Array.from({ length: count }, () => trigger(service, user)));
    await all(user, ({ status }) => ended.includes(status));
    return ids;
  }
  const attempted = (ids: string[], times: number) =>
    Promise.all(ids.map((id) => triggerWhen(service, id, ({ attempt_count: count }) => count === times)));

  it('sends each of them once more', async () => {
    const user = newUser();
    await webhook(user);
    const ids = await delivered(user, 100);
    expect(await retry({ ids })).toMatchObject({ status: 202, body: { triggers: 100, skipped: [] } });
    await all(user, ({ attempt_count: count }) => count === 2);
  });

  it('counts an id given twice once', async () => {
    const user = newUser();
    await webhook(user);
    const [id] = await delivered(user, 1);
    expect((await retry({ ids: [id, id, NO_ID, NO_ID] })).body).toEqual({
      triggers: 1,
      skipped: [{ id: NO_ID, code: 'not_found' }],
    });
    await attempted([id as string], 2);
  });

  it('says which it left out, each with the code of a single call', async () => {
    const user = newUser();
    const other = newUser();
    const held = Promise.withResolvers<void>();
    receiver.respondWith('/held', { after: held.promise });
    await webhook(user);
    await webhook(other, '/held');
    const [gone, fine] = await delivered(user, 2);
    const row = await finished(service, gone as string);
    await service.app
      .get(DataSource)
      .query(`UPDATE webhook_notification SET payload_gone_at = 1 WHERE id = '${row.notification_id}'`);
    const busy = await trigger(service, other);
    await triggerWhen(service, busy, ({ status }) => status === 'DELIVERING');
    const left = { [NO_ID]: 'not_found', [busy]: 'trigger_delivering', [gone as string]: 'payload_gone' };
    const { body } = await retry({ ids: [NO_ID, busy, gone, fine] });
    expect(body).toEqual({
      triggers: 1,
      skipped: Object.entries(left).map(([id, code]) => ({ id, code })),
    });
    for (const [id, code] of Object.entries(left))
      expectProblem(await retry({ id }), code === 'not_found' ? 404 : 409, code);
    held.resolve();
    await attempted([fine as string], 2);
  });

  it("leaves out another user's triggers", async () => {
    const user = newUser();
    await webhook(user);
    const [id] = await delivered(user, 1);
    const key = await service.keyFor(newUser(), 'webhooks:write');
    expect((await retry({ ids: [id] }, key)).body).toEqual({
      triggers: 0,
      skipped: [{ id, code: 'not_found' }],
    });
    expect(await finished(service, id as string)).toMatchObject({ attempt_count: 1 });
  });

  it.each([
    ['neither an id nor ids', {}, ['']],
    ['both', { id: NO_ID, ids: [NO_ID] }, ['']],
    ['no ids', { ids: [] }, ['/ids']],
    ['more than 100', { ids: Array.from({ length: 101 }, () => NO_ID) }, ['/ids']],
    ['what is no id', { ids: [NO_ID, 'x', 7] }, ['/ids/1', '/ids/2']],
    ['no array', { ids: NO_ID }, ['/ids']],
    ['null', { ids: null }, ['/ids']],
  ])('refuses %s', async (_what, body, pointers) => {
    expectProblem(await retry(body), 400, 'validation_failed', pointers);
  });

  it('notes why the next attempt is made', async () => {
    const user = newUser();
    await webhook(user, '/fails');
    const id = await trigger(service, user);
    await triggerWhen(service, id, ({ attempt_count: count }) => count === 1);
    await service.call('PATCH', '/v1/webhook', {
      id: (await finishedWebhook(id)).webhook_id,
      enabled: false,
    });
    await retry({ ids: [id] });
    const [row] = await service.app
      .get(DataSource)
      .query(`SELECT cause FROM webhook_trigger WHERE id = '${id}'`);
    expect(row).toEqual({ cause: 'retry' });
  });

  const finishedWebhook = async (id: string) =>
    (await service.call('GET', `/v1/webhook/trigger?id=${id}`)).body;

  it('ends well when many calls retry and erase the same triggers at once', async () => {
    const user = newUser();
    await webhook(user);
    const ids = await delivered(user, 60);
    const erasure = service.get(NotificationErasure);
    const calls = Array.from({ length: 6 }, (_, i) => retry({ ids: i % 2 ? ids : ids.toReversed() }));
    const [erased, ...answers] = await Promise.all([erasure.erase(user, { recordId: 'rec_1' }), ...calls]);
    expect(erased).toMatchObject({ notifications: 60, triggers: 60 });
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect(body.triggers + body.skipped.length).toBe(60);
    }
    expect((await retry({ ids })).body.skipped).toHaveLength(60);
    await all(user, ({ status }) => ended.includes(status));
    for (const id of ids.slice(0, 5))
      expect(await finished(service, id)).toMatchObject({ response_data: null });
  });
});
