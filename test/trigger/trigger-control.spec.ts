import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';

const waits = ({ status, attempt_count }: { status: string; attempt_count: number }) =>
  status === 'PENDING' && attempt_count > 0;

describe.each(databases)('controlling triggers on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  beforeAll(async () => {
    receiver.respondWith('/fails', { status: 500 });
  });

  const retry = (id: string) => service.call('POST', '/v1/webhook/trigger/retry', { id });
  const remove = (id: string) => service.call('DELETE', `/v1/webhook?id=${id}`);
  const switched = (id: string, enabled: boolean) => service.call('PATCH', '/v1/webhook', { id, enabled });
  const webhook = (user_id: string, path: string) =>
    createWebhook(service, { user_id, url: receiver.url + path, events: ['RECORD_FINISHED'] });

  describe('retry', () => {
    it.each([
      ['that succeeded', '/ok', finished],
      ['that waits', '/fails', (on: TestService, id: string) => triggerWhen(on, id, waits)],
    ])('redelivers a trigger %s', async (_status, path, settled) => {
      const user = newUser();
      await webhook(user, path);
      const id = await trigger(service, user);
      const before = await settled(service, id);
      const answer = await retry(id);
      expect(answer).toMatchObject({ status: 202, body: { id, end: null } });
      const after = await triggerWhen(service, id, ({ attempt_count: count }) => count === 2);
      expect(after).toMatchObject({ begin: before.begin, attempts: [{ number: 1 }, { number: 2 }] });
      expect(after.status).toBe(before.status);
    });

    it('accepts only the id of an existing trigger', async () => {
      expectProblem(await retry(NO_ID), 404, 'not_found');
      expectProblem(await retry('x'), 400, 'validation_failed', ['/id']);
      const answer = await service.call('POST', '/v1/webhook/trigger/retry', { id: NO_ID, at: 'now' });
      expectProblem(answer, 400, 'validation_failed', ['/at']);
    });

    it('is refused until the current attempt has ended', async () => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      receiver.respondWith('/holds', [{ after: released }, {}]);
      const user = newUser();
      await webhook(user, '/holds');
      const id = await trigger(service, user);
      await triggerWhen(service, id, ({ status }) => status === 'DELIVERING');
      expectProblem(await retry(id), 409, 'trigger_delivering');
      release();
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
      expect((await retry(id)).status).toBe(202);
    });

    it('redelivers a cancelled trigger once its webhook is on again', async () => {
      const user = newUser();
      const { id: webhookId } = await webhook(user, '/back');
      receiver.respondWith('/back', [{ status: 500 }, {}]);
      const id = await trigger(service, user);
      await triggerWhen(service, id, waits);
      await switched(webhookId, false);
      expect(await finished(service, id)).toMatchObject({ status: 'CANCELLED' });
      await switched(webhookId, true);
      expect((await retry(id)).status).toBe(202);
      const done = await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
      expect(done).toMatchObject({ attempt_count: 2 });
    });
  });

  it.each([
    ['switched off', (id: string) => switched(id, false)],
    ['deleted', remove],
    ['deleted by POST', (id: string) => service.call('POST', '/v1/webhook', { id })],
  ])('cancels the waiting triggers of a webhook that is %s', async (_how, end) => {
    const user = newUser();
    const { id: webhookId } = await webhook(user, '/fails');
    const id = await trigger(service, user);
    await triggerWhen(service, id, waits);
    expect((await end(webhookId)).status).toBe(200);
    const cancelled = await finished(service, id);
    expect(cancelled).toMatchObject({ status: 'CANCELLED', next_attempt_at: null, attempt_count: 1 });
    expect(cancelled.end).not.toBeNull();
    const again = await retry(id);
    expect(again.status).toBe(202);
    expect(await finished(service, id)).toMatchObject({ status: 'CANCELLED', attempt_count: 1 });
  });

  it('keeps the finished triggers of a deleted webhook', async () => {
    const user = newUser();
    const { id: webhookId } = await webhook(user, '/ok');
    const id = await trigger(service, user);
    const before = await finished(service, id);
    await remove(webhookId);
    expect(await finished(service, id)).toEqual(before);
    const list = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${webhookId}`);
    expect(list.body.data).toMatchObject([{ id, status: 'SUCCEEDED' }]);
  });
});
