import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, notify, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const ASKED_SECONDS = 600;

describe.each(databases)('a busy receiver on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver('test');
  let user: string;
  let id: string;

  beforeEach(async () => {
    user = newUser();
    ({ id } = await createWebhook(service, { user_id: user, url: receiver.url }));
  });
  const webhook = async () => (await service.call('GET', `/v1/webhook?id=${id}`)).body;
  const pausedSeconds = async () => (Date.parse((await webhook()).paused_until) - Date.now()) / 1000;
  const pause = async (status: number) => {
    receiver.respondWith({ status, headers: { 'retry-after': String(ASKED_SECONDS) } });
    const first = await trigger(service, user);
    await attempted(service, first);
    await until(async () => (await webhook()).paused_until !== null, { what: 'a pause' });
    return first;
  };

  it.each([429, 502, 503, 504])('gets nothing while it asks for that with a %i', async (status) => {
    await pause(status);
    expect(await pausedSeconds()).toBeGreaterThan(ASKED_SECONDS - 60);
    expect(await pausedSeconds()).toBeLessThanOrEqual(ASKED_SECONDS + 1);
    receiver.respondWith({ status: 200 });
    const { body } = await notify(service, user);
    const other = await createWebhook(service, { user_id: user, url: `${receiver.url}/other` });
    await notify(service, user);
    await receiver.waitFor((requests) => requests.some(({ path }) => path.endsWith('/other')));
    const waiting = await service.call('GET', `/v1/webhook/trigger?id=${body.triggers[0].id}`);
    expect(waiting.body).toMatchObject({ status: 'PENDING', attempt_count: 0 });
    await service.call('DELETE', `/v1/webhook?id=${other.id}`);
  });

  it('is sent what is asked for by hand, and the rest once that succeeds', async () => {
    const first = await pause(503);
    receiver.respondWith({ status: 200 });
    const { body } = await notify(service, user);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: first });
    expect(await finished(service, first)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await finished(service, body.triggers[0].id)).toMatchObject({ status: 'SUCCEEDED' });
    await until(async () => (await webhook()).paused_until === null, { what: 'the end of the pause' });
  });

  it('does not change the ETag by being paused, and is not left alone under another URL', async () => {
    const tag = async () => (await service.call('GET', `/v1/webhook?id=${id}`)).headers.get('etag');
    const before = await tag();
    await pause(429);
    expect(await tag()).toBe(before);
    const answer = await service.call('PATCH', '/v1/webhook', { id, url: `${receiver.url}/new` });
    expect(answer.body.paused_until).toBeNull();
    receiver.respondWith({ status: 200 });
    await finished(service, await trigger(service, user));
  });
});
