import { describe, expect, it } from '@jest/globals';
import { Connector } from '../../../src/network/connector.js';
import { useConnectProxy } from '../../egress/connect-proxy.js';
import { clientTls, pem } from '../../support/certs/pem.js';
import { SQLITE } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import type { Receiver } from '../../support/receiver.js';
import { attempted, finished, newUser, trigger } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { once, transports } from './use-authentication.js';

const authority = { ca: pem('authority.cert') };

/** A webhook with this `tls`, for a user of its own. */
async function made(service: TestService, receiver: Receiver, tls: object | null, more: object = {}) {
  const user = newUser();
  const { id } = await createWebhook(service, {
    user_id: user,
    url: receiver.url,
    tls,
    settings: once,
    ...more,
  });
  return {
    id,
    deliver: async () => {
      const triggered = await trigger(service, user);
      return attempted(service, triggered);
    },
    patch: (fields: object) => service.call('PATCH', '/v1/webhook', { id, ...fields }),
  };
}

describe.each(transports)('TLS of a webhook by %s', (transport) => {
  const service = useService(SQLITE, { DELIVERY_TRANSPORT: transport });
  const receiver = useReceiver('test', { tls: 'mutual' });
  const selfSigned = useReceiver('test', { tls: 'valid' });

  const clients = () => receiver.requests.map(({ client }) => client);

  it('shows its certificate to a receiver that asks for one', async () => {
    const { deliver } = await made(service, receiver, { ...clientTls('client'), ...authority });
    for (const _ of [1, 2]) expect(await deliver()).toMatchObject({ status: 'SUCCEEDED' });
    expect(clients()).toEqual(['client.test', 'client.test']);
    expect(receiver.connectionCount).toBe(1);
  });

  it('never shares a connection with another webhook, nor with what it showed before', async () => {
    const [client, other] = [clientTls('client'), clientTls('other')];
    const one = await made(service, receiver, { ...client, ...authority });
    const two = await made(service, receiver, { ...other, ...authority });
    const without = await made(service, receiver, authority);
    await one.deliver();
    await two.deliver();
    expect(await without.deliver()).toMatchObject({ status: 'PENDING' });
    await one.patch({ tls: { ...other, ...authority } });
    await one.deliver();
    expect(clients()).toEqual(['client.test', 'other-client.test', 'other-client.test']);
    await one.patch({ tls: null });
    expect((await one.deliver()).error.code).toBe('tls');
    expect(receiver.requests).toHaveLength(3);
  });

  it('trusts its authorities alone', async () => {
    const trusting = await made(service, selfSigned, { ca: pem('valid.cert') });
    expect(await trusting.deliver()).toMatchObject({ status: 'SUCCEEDED' });
    for (const tls of [authority, null]) {
      const { deliver } = await made(service, selfSigned, tls);
      expect((await deliver()).error.code).toBe('tls');
    }
    expect((await (await made(service, receiver, clientTls('client'))).deliver()).error.code).toBe('tls');
    expect(selfSigned.requests).toHaveLength(1);
    expect(receiver.requests).toHaveLength(0);
  });

  it('still checks the name in the certificate', async () => {
    const connector = service.get(Connector);
    const resolve = Reflect.get(connector, 'resolve');
    Reflect.set(connector, 'resolve', async () => ['127.0.0.1']);
    const url = `https://other.test:${selfSigned.port}/`;
    const { deliver } = await made(service, selfSigned, { ca: pem('valid.cert') }, { url });
    const { error } = await deliver();
    Reflect.set(connector, 'resolve', resolve);
    expect(error).toEqual({ code: 'tls', message: 'The TLS certificate is not for this host name.' });
  });

  it('says that a certificate is wanted', async () => {
    const { deliver } = await made(service, receiver, authority);
    const { error, diagnosis } = await deliver();
    expect(error.code).toBe('tls');
    expect(diagnosis.summary).toBe('127.0.0.1 wants a client certificate, and was shown none.');
    expect(receiver.requests).toHaveLength(0);
  });
});

describe.each(transports)('TLS of a webhook behind a proxy, by %s', (transport) => {
  const proxy = useConnectProxy();
  const receiver = useReceiver('test', { tls: 'mutual' });
  const service = useService(SQLITE, () => ({ DELIVERY_TRANSPORT: transport, EGRESS_PROXY: proxy.url }));

  it('reaches through to the receiver', async () => {
    const url = `https://receiver.test:${receiver.port}/`;
    const user = newUser();
    const tls = { ...clientTls('client'), ...authority };
    await createWebhook(service, { user_id: user, url, tls });
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests).toMatchObject([{ client: 'client.test' }]);
    expect(proxy.heads).toHaveLength(1);
  });
});
