import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { newUser, notify, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('headers of a notification on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.1,0.1,0.1' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const webhook = (fields: object = {}) =>
    createWebhook(service, { user_id: user, url: receiver.url, ...fields });
  const report = (headers: Record<string, string>) =>
    service.call(
      'POST',
      '/v1/notification',
      { event_kind: 'RECORD_FINISHED', user_id: user, record },
      { headers },
    );
  const sent = async () => {
    const [request] = await receiver.waitFor(1);
    return request as ReceivedRequest;
  };

  it('are exactly those of Standard Webhooks and of the service', async () => {
    await webhook({ url: `${receiver.url}/hooks?a=b` });
    const { body } = await notify(service, user);
    const request = await sent();
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?a=b' });
    const { connection: _, ...headers } = request.headers;
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(request.body.length),
      'user-agent': expect.stringMatching(/^webhook-notification-service\/\S+/),
      'webhook-id': body.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'webhook-attempt': '1',
      'webhook-hops': '1',
    });
  });

  it('forward a valid traceparent with every attempt, and no invalid one', async () => {
    await webhook();
    receiver.respondWith([{ status: 500 }, { status: 200 }]);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await report({ traceparent });
    const requests = await receiver.waitFor(2);
    expect(requests.map(({ headers }) => headers.traceparent)).toEqual([traceparent, traceparent]);
    expect(await report({ traceparent: 'not-a-traceparent' })).toMatchObject({ status: 202 });
    expect((await receiver.waitFor(3))[2]?.headers).not.toHaveProperty('traceparent');
  });

  const hopsSent = () => receiver.requests.map(({ headers }) => headers['webhook-hops']);

  it.each([
    [{}, '1'],
    [{ 'webhook-hops': '3' }, '4'],
    [{ 'webhook-hops': 'many' }, '6'],
  ])('count the hops that came with %j as %s, with every attempt', async (came, sentOn) => {
    await webhook();
    receiver.respondWith([{ status: 500 }, { status: 200 }]);
    expect((await report(came as Record<string, string>)).status).toBe(202);
    await receiver.waitFor(2);
    expect(hopsSent()).toEqual([sentOn, sentOn]);
  });

  it('count the hops of a test too', async () => {
    const { id } = await webhook();
    const headers = { 'webhook-hops': '2' };
    expect((await service.call('POST', '/v1/webhook/test', { id }, { headers })).status).toBe(202);
    await sent();
    expect(hopsSent()).toEqual(['3']);
  });

  it.each<[string, string, object | undefined]>([
    ['POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', user_id: 'nobody', record }],
    ['POST', '/v1/webhook', { name: 'loop', url: 'http://127.0.0.1:31151' }],
    ['GET', '/v1/webhook/list', undefined],
    ['GET', '/v1/webhook/trigger/list', undefined],
    ['POST', '/v1/webhook/test', { id: 'x' }],
  ])('with too many hops are refused: %s %s', async (method, path, body) => {
    const answer = await service.call(method, path, body, { headers: { 'webhook-hops': '6' } });
    expectProblem(answer, 400, 'too_many_hops');
  });

  it('stop a loop between services', async () => {
    const answers: number[] = [];
    receiver.respondWith(async ({ headers }) => {
      const { status } = await report({ 'webhook-hops': String(headers['webhook-hops']) });
      answers.push(status);
      return { status: 200 };
    });
    await webhook();
    await report({});
    await until(() => answers.includes(400));
    expect(hopsSent()).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(answers).toEqual([202, 202, 202, 202, 202, 400]);
  });
});
