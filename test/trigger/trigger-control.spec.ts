import { beforeAll, describe, expect, it } from '@jest/globals';
import { NotificationErasure } from '../../src/index.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELLED'];

describe.each(databases)('controlling triggers on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  beforeAll(() => receiver.respondWith('/fails', { status: 500 }));

  const retry = (body: object, key?: string) =>
    service.call('POST', '/v1/webhook/trigger/retry', body, key ? { key } : {});
  const remove = (id: string) => service.call('DELETE', `/v1/webhook?id=${id}`);
  const switched = (id: string, enabled: boolean) => service.call('PATCH', '/v1/webhook', { id, enabled });
  /** A new user, who has one webhook. */
  async function owner(path = '/ok') {
    const user = newUser();
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url + path });
    return { user, webhookId: id as string };
  }
  /** Resolves once all triggers of a user are as expected. */
  const all = (userId: string, holds: (trigger: { status: string; attempt_count: number }) => boolean) =>
    until(async () => {
      const { body } = await service.call('GET', `/v1/webhook/trigger/list?user_id=${userId}&limit=100`);
      return body.data.every(holds);
    });
  async function delivered(user: string, count: number): Promise<string[]> {
    const ids = await Promise.all(Array.from({ length: count }, () => trigger(service, user)));
    await all(user, ({ status }) => ENDED.includes(status));
    return ids;
  }

  describe('a retry', () => {
    it.each([
      ['that succeeded', 200],
      ['that waits', 500],
    ])('redelivers a trigger %s', async (_what, status) => {
      const path = `/again-${status}`;
      const held = Promise.withResolvers<void>();
      receiver.respondWith(path, [{ status }, { status, after: held.promise }]);
      const { user } = await owner(path);
      const id = await trigger(service, user);
      const before = await attempted(service, id, 1);
      expect(await retry({ id })).toMatchObject({ status: 202, body: { id, end: null } });
      held.resolve();
      const after = await attempted(service, id, 2);
      const attempts = [{ number: 1 }, { number: 2, cause: 'retry' }];
      expect(after).toMatchObject({ begin: before.begin, status: before.status, attempts });
    });

    it('redelivers a cancelled trigger once its webhook is on again', async () => {
      const { user, webhookId } = await owner('/back');
      receiver.respondWith('/back', [{ status: 500 }, {}]);
      const id = await trigger(service, user);
      await attempted(service, id, 1);
      await switched(webhookId, false);
      expect(await finished(service, id)).toMatchObject({ status: 'CANCELLED' });
      await switched(webhookId, true);
      expect((await retry({ id })).status).toBe(202);
      expect(await attempted(service, id, 2)).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('of many sends each of them once more', async () => {
      const { user } = await owner();
      const ids = await delivered(user, 100);
      expect(await retry({ ids })).toMatchObject({ status: 202, body: { triggers: 100, skipped: [] } });
      await all(user, ({ attempt_count: count }) => count === 2);
    });

    it('of many counts an id given twice once', async () => {
      const { user } = await owner();
      const [id] = (await delivered(user, 1)) as [string];
      const skipped = [{ id: NO_ID, code: 'not_found' }];
      expect((await retry({ ids: [id, id, NO_ID, NO_ID] })).body).toEqual({ triggers: 1, skipped });
      expect(await attempted(service, id, 2)).toMatchObject({ attempts: [{}, { cause: 'retry' }] });
    });

    it('of many says which it left out, each with the code of a single call', async () => {
      const { user } = await owner();
      const { user: other } = await owner('/held');
      const held = Promise.withResolvers<void>();
      receiver.respondWith('/held', [{ after: held.promise }, {}]);
      const [gone, fine] = (await delivered(user, 2)) as [string, string];
      const { notification_id } = await finished(service, gone);
      const forget = 'UPDATE webhook_notification SET payload_gone_at = 1 WHERE id = ?';
      await service.query(forget, [notification_id]);
      const busy = await trigger(service, other);
      await triggerWhen(service, busy, ({ status }) => status === 'DELIVERING');
      const skipped = [
        { id: NO_ID, code: 'not_found' },
        { id: busy, code: 'trigger_delivering' },
        { id: gone, code: 'payload_gone' },
      ];
      expect((await retry({ ids: [NO_ID, busy, gone, fine] })).body).toEqual({ triggers: 1, skipped });
      for (const { id, code } of skipped)
        expectProblem(await retry({ id }), code === 'not_found' ? 404 : 409, code);
      await attempted(service, fine, 2);
      held.resolve();
      expect(await finished(service, busy)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
      expect((await retry({ id: busy })).status).toBe(202);
    });

    it.each<[string, object, string[]]>([
      ['neither an id nor ids', {}, ['']],
      ['both', { id: NO_ID, ids: [NO_ID] }, ['']],
      ['an id that is none', { id: 'x' }, ['/id']],
      ['an unknown field', { id: NO_ID, at: 'now' }, ['/at']],
      ['no ids', { ids: [] }, ['/ids']],
      ['more than 100', { ids: Array(101).fill(NO_ID) }, ['/ids']],
      ['ids of which some are none', { ids: [NO_ID, 'x', 7] }, ['/ids/1', '/ids/2']],
      ['no array', { ids: NO_ID }, ['/ids']],
      ['null', { ids: null }, ['/ids']],
    ])('of %s is refused', async (_what, body, pointers) => {
      expectProblem(await retry(body), 400, 'validation_failed', pointers);
    });

    it('ends well when many calls retry and erase the same triggers at once', async () => {
      const { user } = await owner();
      const ids = await delivered(user, 60);
      const erasing = service.get(NotificationErasure).erase(user, { recordId: 'rec_1' });
      const calls = Array.from({ length: 6 }, (_, i) => retry({ ids: i % 2 ? ids : ids.toReversed() }));
      const [erased, ...answers] = await Promise.all([erasing, ...calls]);
      expect(erased).toMatchObject({ notifications: 60, triggers: 60 });
      for (const { status, body } of answers) {
        expect(status).toBe(202);
        expect(body.triggers + body.skipped.length).toBe(60);
      }
      expect((await retry({ ids })).body.skipped).toHaveLength(60);
      await all(user, ({ status }) => ENDED.includes(status));
      for (const id of ids.slice(0, 5))
        expect(await finished(service, id)).toMatchObject({ response_data: null });
    });
  });

  it('cancels the waiting triggers of a webhook that is deleted by POST, also if they are retried then', async () => {
    const { user, webhookId } = await owner('/fails');
    const id = await trigger(service, user);
    await attempted(service, id, 1);
    expect(await service.call('POST', '/v1/webhook', { id: webhookId })).toMatchObject({ status: 200 });
    const cancelled = { status: 'CANCELLED', next_attempt_at: null, attempt_count: 1 };
    expect(await finished(service, id)).toMatchObject(cancelled);
    expect((await retry({ id })).status).toBe(202);
    expect(await finished(service, id)).toMatchObject(cancelled);
  });

  it('keeps the finished triggers of a deleted webhook', async () => {
    const { user, webhookId } = await owner();
    const id = await trigger(service, user);
    const before = await finished(service, id);
    await remove(webhookId);
    expect(await finished(service, id)).toEqual(before);
    const list = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${webhookId}`);
    expect(list.body.data).toMatchObject([{ id, status: 'SUCCEEDED' }]);
  });
});
