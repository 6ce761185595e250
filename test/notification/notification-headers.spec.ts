import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import type { ReceivedRequest } from '../support/receiver.js';
import { finished, newUser, notify, record, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const verify = ({ body, headers }: ReceivedRequest, secret: string) =>
  new Webhook(secret).verify(body.toString('utf8'), headers as Record<string, string>);

describe.each(databases)('headers of a notification on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.1,0.1,0.1' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  it('are exactly those of Standard Webhooks and of the service', async () => {
    await createWebhook(service, { user_id: user, url: `${receiver.url}/hooks?a=b` });
    const { body } = await notify(service, user);
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?a=b' });
    const { connection: _, ...headers } = request?.headers ?? {};
    expect(headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(request?.body.length),
      'user-agent': expect.stringMatching(/^webhook-notification-service\/\S+/),
      'webhook-id': body.id,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'webhook-attempt': '1',
      'webhook-hops': '1',
    });
  });

  it('sign every attempt again under the same id', async () => {
    const { secret } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith([{ status: 500 }, { status: 500 }, { status: 200 }]);
    const { body } = await notify(service, user);
    const requests = await receiver.waitFor(3);
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill(body.id));
    expect(requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3']);
    for (const request of requests) {
      expect(verify(request, secret)).toMatchObject({ data: record });
      expect(request.body).toEqual(requests[0]?.body);
      const seconds = Number(request.headers['webhook-timestamp']);
      expect(Math.abs(request.at / 1000 - seconds)).toBeLessThan(2);
    }
  });

  it('are signed with a secret supplied by the owner', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await createWebhook(service, { user_id: user, url: receiver.url, secret });
    await trigger(service, user);
    const [request] = await receiver.waitFor(1);
    expect(() => verify(request as ReceivedRequest, secret)).not.toThrow();
    expect(() =>
      verify(request as ReceivedRequest, `whsec_${Buffer.alloc(24).toString('base64')}`),
    ).toThrow();
  });

  it('include custom headers, with credentials in the clear that the API masks', async () => {
    const headers = {
      'X-Team': 'risk',
      Authorization: 'Bearer s3cret',
      'x-api-key': 'k3y',
      set: 'a',
      get: 'b',
    };
    await createWebhook(service, { user_id: user, url: receiver.url, headers });
    const id = await trigger(service, user);
    const [request] = await receiver.waitFor(1);
    expect(request?.rawHeaders).toEqual(expect.arrayContaining(Object.entries(headers).flat()));
    const shown = await finished(service, id);
    expect(shown.request_data.headers).toMatchObject({
      'X-Team': 'risk',
      Authorization: '********',
      'x-api-key': '********',
    });
    expect(JSON.stringify(shown)).not.toMatch(/s3cret|k3y/);
  });

  it('keep a credential when an update sends its mask back', async () => {
    const headers = { Authorization: 'Bearer s3cret', 'X-Team': 'risk' };
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url, headers });
    const masked = { authorization: '********', 'X-Team': 'fraud' };
    await service.call('PATCH', '/v1/webhook', { id, headers: masked });
    await trigger(service, user);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-team': 'fraud' });
  });

  it('forward a valid traceparent with every attempt, and no invalid one', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith([{ status: 500 }, { status: 200 }]);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const body = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    const notifyWith = (value: string) =>
      service.call('POST', '/v1/notification', body, { headers: { traceparent: value } });
    await notifyWith(traceparent);
    const requests = await receiver.waitFor(2);
    expect(requests.map(({ headers }) => headers.traceparent)).toEqual([traceparent, traceparent]);
    expect(await notifyWith('not-a-traceparent')).toMatchObject({ status: 202 });
    expect((await receiver.waitFor(3))[2]?.headers).not.toHaveProperty('traceparent');
  });
});
