import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('hops of a notification on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.1' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const report = (hops?: string) =>
    service.call(
      'POST',
      '/v1/notification',
      { event_kind: 'RECORD_FINISHED', user_id: user, record },
      hops === undefined ? {} : { headers: { 'webhook-hops': hops } },
    );
  const hopsSent = () => receiver.requests.map(({ headers }) => headers['webhook-hops']);

  it.each([
    [undefined, '1'],
    ['0', '1'],
    ['3', '4'],
    ['5', '6'],
    ['many', '6'],
  ])('of %j are sent on as %s, with every attempt', async (came, sent) => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith([{ status: 500 }, { status: 200 }]);
    expect((await report(came)).status).toBe(202);
    await receiver.waitFor(2);
    expect(hopsSent()).toEqual([sent, sent]);
  });

  it('are counted for a test too', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    const headers = { 'webhook-hops': '2' };
    expect((await service.call('POST', '/v1/webhook/test', { id }, { headers })).status).toBe(202);
    await receiver.waitFor(1);
    expect(hopsSent()).toEqual(['3']);
  });

  it.each<[string, string, object | undefined]>([
    ['POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', user_id: 'nobody', record }],
    ['POST', '/v1/webhook', { name: 'loop', url: 'http://127.0.0.1:49151' }],
    ['GET', '/v1/webhook/list', undefined],
    ['GET', '/v1/webhook/trigger/list', undefined],
    ['POST', '/v1/webhook/test', { id: 'x' }],
  ])('that are too many are refused: %s %s', async (method, path, body) => {
    const answer = await service.call(method, path, body, { headers: { 'webhook-hops': '6' } });
    expectProblem(answer, 400, 'too_many_hops');
  });

  it('stop a loop between services', async () => {
    const answers: number[] = [];
    receiver.respondWith(async ({ headers }) => {
      const { status } = await report(String(headers['webhook-hops']));
      answers.push(status);
      return { status: 200 };
    });
    await createWebhook(service, { user_id: user, url: receiver.url });
    await report();
    await until(() => answers.includes(400));
    expect(hopsSent()).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(answers).toEqual([202, 202, 202, 202, 202, 400]);
  });
});
