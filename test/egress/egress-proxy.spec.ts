import { beforeAll, describe, expect, it } from '@jest/globals';
import { PolicyUrlJudge } from '../../src/network/address/url-judge.js';
import { Connector } from '../../src/network/connector.js';
import type { EgressConfig } from '../../src/platform/config/settings.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { certificate } from '../support/receiver.js';
import { finished, newUser, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { type ProxyBehaviour, useConnectProxy } from './connect-proxy.js';
import { INSIDE_LITERALS, INSIDE_NAMES } from './inside.js';
import { loopback, post, transports, useBench } from './transports.js';

const DEADLINE_MS = 300;

describe.each(transports)('the %s transport behind a proxy', (_name, create) => {
  const bench = useBench(create);
  const proxy = useConnectProxy('test');

  const egress = (url = proxy.url): EgressConfig => ({ ...loopback, allowedNetworks: [], proxy: url });
  /** A transport that cannot resolve any name. */
  const behind = (url?: string) =>
    bench.transport({
      egress: egress(url),
      ca: certificate('valid'),
      resolve: () => Promise.reject(new Error('resolved')),
    });
  const connectTo = (authority: string, more = '') =>
    `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${more}\r\n`;

  it.each(['http', 'https'] as const)('reaches %s by a name that only the proxy resolves', async (scheme) => {
    const receiver = await bench.receiver(scheme === 'https' ? { tls: 'valid' } : {});
    receiver.respondWith({ body: 'received' });
    const authority = `receiver.test:${receiver.port}`;
    const body = Buffer.from('{"data":"for the receiver"}');
    const { response, phases } = await post(behind(), `${scheme}://${authority}/hooks?a=b`, {
      headers: { Authorization: 'Bearer s3cret', 'X-Team': 'risk' },
      body,
    });
    expect(response).toMatchObject({ status: 200, body: 'received' });
    expect(Object.keys(phases)).toEqual(['connect', ...(scheme === 'https' ? ['tls'] : []), 'headers']);
    expect(receiver.requests).toMatchObject([
      {
        path: '/hooks?a=b',
        headers: { host: authority, authorization: 'Bearer s3cret', 'x-team': 'risk' },
        body,
      },
    ]);
    expect(proxy.heads).toEqual([connectTo(authority)]);
  });

  it.each([
    ['scott:tiger@', 'scott:tiger'],
    ['sc%3Aott:t%40ger%20%C3%BC@', 'sc:ott:t@ger ü'],
    ['token@', 'token:'],
    ['100%25:%zz@', '100%:%zz'],
  ])('shows its credentials to the proxy alone: %s', async (userinfo, credentials) => {
    const receiver = await bench.receiver();
    const { response } = await post(behind(proxy.urlWith(userinfo)), `http://receiver.test:${receiver.port}`);
    expect(response?.status).toBe(200);
    const basic = Buffer.from(credentials).toString('base64');
    expect(proxy.heads).toEqual([
      connectTo(`receiver.test:${receiver.port}`, `Proxy-Authorization: Basic ${basic}\r\n`),
    ]);
    expect(Object.keys(receiver.requests[0]?.headers ?? {}).join()).not.toMatch(/proxy|authorization/);
  });

  it.each([
    ['http://receiver.test', 'receiver.test:80'],
    ['https://receiver.test', 'receiver.test:443'],
    ['http://[2606:4700::1111]:8080', '[2606:4700::1111]:8080'],
    ['http://8.8.8.8', '8.8.8.8:80'],
  ])('names %s to it', async (url, authority) => {
    proxy.behaviour = 'HTTP/1.1 502 Bad Gateway\r\n\r\n';
    await post(behind(), url);
    expect(proxy.heads).toEqual([connectTo(authority)]);
  });

  it('reuses a tunnel', async () => {
    const receiver = await bench.receiver();
    const transport = behind();
    for (let i = 0; i < 3; i++) {
      expect((await post(transport, `http://receiver.test:${receiver.port}`)).response?.status).toBe(200);
    }
    expect(proxy.connectionCount).toBe(1);
  });

  it('resolves the name of the proxy', async () => {
    const receiver = await bench.receiver();
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return ['127.0.0.2', '127.0.0.1'];
    };
    const transport = bench.transport({ egress: egress(`http://proxy:${proxy.port}`), resolve });
    const { response } = await post(transport, `http://receiver.test:${receiver.port}`);
    expect(response?.status).toBe(200);
    expect(asked).toEqual(['proxy']);
  });

  describe('fails with', () => {
    it.each<[string, string, ProxyBehaviour, RegExp]>([
      ['blocked_address', '403', 'HTTP/1.1 403 Forbidden\r\n\r\nnot there', /proxy does not allow/],
      ['connection_refused', '407', 'HTTP/1.1 407 Authenticate\r\n\r\n', /credentials/],
      ['connection_refused', '502', 'HTTP/1.0 502 Bad Gateway\r\n\r\n', /answered 502/],
      ['connection_refused', 'a redirect', 'HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n', /answered 302/],
      ['connection_refused', 'no phrase', 'HTTP/1.1 504\r\n\r\n', /answered 504/],
      ['connection_refused', 'something else', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', /not answer in HTTP/],
      ['connection_refused', 'HTTP/2', 'HTTP/2 200\r\n\r\n', /not answer in HTTP/],
      ['connection_reset', 'a FIN', (client) => client.end(), /proxy closed/],
      ['connection_reset', 'an RST', (client) => client.resetAndDestroy(), /closed/],
    ])('%s when the proxy answers with %s', async (code, _what, behaviour, message) => {
      proxy.behaviour = behaviour;
      const receiver = await bench.receiver();
      const exchange = await post(behind(), `http://receiver.test:${receiver.port}`);
      expect(exchange).toEqual({
        response: null,
        error: { code, message: expect.stringMatching(message) },
        phases: {},
      });
      expect(receiver.connectionCount).toBe(0);
      await until(() => proxy.openConnections === 0);
    });

    it('timeout when the proxy is silent', async () => {
      proxy.behaviour = () => {};
      const { error } = await post(behind(), 'https://receiver.test', {
        deadline: AbortSignal.timeout(DEADLINE_MS),
      });
      expect(error?.code).toBe('timeout');
      await until(() => proxy.openConnections === 0);
    });

    it('connection_refused when no proxy listens', async () => {
      const { url } = proxy;
      await proxy.close();
      const { error } = await post(behind(url), 'http://receiver.test');
      expect(error).toEqual({ code: 'connection_refused', message: 'The proxy could not be reached.' });
    });

    it('dns when the name of the proxy does not resolve', async () => {
      const { error } = await post(behind('http://proxy.test:3128'), 'http://receiver.test');
      expect(error).toEqual({ code: 'dns', message: 'The host name of the proxy could not be resolved.' });
    });

    it('tls when the certificate is for another name', async () => {
      const receiver = await bench.receiver({ tls: 'valid' });
      const { error } = await post(behind(), `https://other.test:${receiver.port}`);
      expect(error?.code).toBe('tls');
    });
  });

  it.each([...INSIDE_LITERALS, ...INSIDE_NAMES, 'ftp://receiver.test', 'http://receiver.test:22'])(
    'does not even ask it for %s',
    async (origin) => {
      const judge = new PolicyUrlJudge(egress(), new Connector({ egress: egress() }));
      expect(await judge.faultOfAddresses(origin)).toMatch(/\.$/);
      if (origin.startsWith('http:')) {
        expect((await post(behind(), origin)).error?.code).toBe('blocked_address');
      }
      expect(proxy.connectionCount).toBe(0);
    },
  );
});

describe.each(databases)('the service behind a proxy, on $name', (kind) => {
  const proxy = useConnectProxy();
  const service = useService(kind, () => ({
    ALLOW_PRIVATE_NETWORK: 'false',
    EGRESS_PROXY: proxy.urlWith('scott:tiger@'),
    RETRY_SCHEDULE_SECONDS: '3600',
  }));
  const receiver = useReceiver();

  beforeAll(() => {
    const resolve = () => Promise.reject(new Error('resolved'));
    Reflect.set(service.get(Connector), 'resolve', resolve);
  });

  it('delivers through the proxy', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: `http://receiver.test:${receiver.port}/hooks` });
    const found = await finished(service, await trigger(service, user));
    expect(found).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests).toHaveLength(1);
    expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT receiver\.test:\d+ HTTP\/1\.1\r\n/)]);
    expect(JSON.stringify(found)).not.toMatch(/tiger|proxy/i);
  });

  it('refuses an internal address without asking DNS', async () => {
    const body = { name: 'inside', url: 'http://127.1:8080', events: [] };
    expect((await service.call('POST', '/v1/webhook', body)).body).toMatchObject({
      status: 400,
      errors: [{ pointer: '/url' }],
    });
  });
});
