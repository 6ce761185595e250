import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Connector } from '../../src/network/connector.js';
import { systemResolver } from '../../src/network/dns/resolver.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, newUser, notify, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { type Records, useDnsServer } from './dns-server.js';
import { INSIDE_ANSWERS, INSIDE_LITERALS, INSIDE_NAMES, PUBLIC } from './inside.js';

const inside = [...INSIDE_LITERALS, ...INSIDE_NAMES];

describe.each(databases)('the way to internal addresses through the service, on $name', (kind) => {
  const service = useService(kind, {
    ALLOW_PRIVATE_NETWORK: 'false',
    ALLOWED_NETWORKS: '127.0.0.2/32',
    DELIVERY_TIMEOUT_MS: '10000',
    RETRY_SCHEDULE_SECONDS: '3600',
  });
  /** An internal address that nothing may reach. */
  const trap = useReceiver('test');
  /** The only internal address that is allowed. */
  const allowed = useReceiver('test', { host: '127.0.0.2' });
  const dns = useDnsServer('block');
  let user: string;
  let now = 0;

  beforeAll(() => {
    for (const [name, records] of Object.entries(INSIDE_ANSWERS)) dns.set(name, records);
    const resolve = systemResolver({
      servers: [dns.address],
      lookup: async () => ['127.0.0.1'],
      now: () => now,
    });
    Reflect.set(service.get(Connector), 'resolve', resolve);
  });
  beforeEach(() => {
    user = newUser();
  });

  const save = (url: string) =>
    service.call('POST', '/v1/webhook', { name: 'inside', url, user_id: user, events: ['RECORD_FINISHED'] });
  const everywhere = () => [
    ...inside.map((origin) => `${origin}:${trap.port}/hooks`),
    ...Object.keys(INSIDE_ANSWERS).map((name) => `http://${name}:${trap.port}/hooks`),
  ];

  it('is shut when a webhook is saved', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: allowed.url });
    for (const url of everywhere()) {
      expectProblem(await save(url), 400, 'validation_failed', ['/url']);
      expectProblem(await service.call('PATCH', '/v1/webhook', { id, url }), 400, 'validation_failed', [
        '/url',
      ]);
    }
    expect(trap.connectionCount).toBe(0);
  });

  it('is shut for webhooks saved before the policy', async () => {
    const urls = everywhere();
    for (const url of urls) {
      const { id } = await createWebhook(service, { user_id: user, url: allowed.url });
      await service.query('UPDATE webhook SET url = ? WHERE id = ?', [new URL(url).href, id]);
    }
    const { body } = await notify(service, user);
    expect(body.triggers).toHaveLength(urls.length);
    for (const { id } of body.triggers) {
      const { request_data, error } = await attempted(service, id);
      expect({ url: request_data.url, code: error?.code }).toEqual({
        url: request_data.url,
        code: 'blocked_address',
      });
    }
    expect([trap.connectionCount, allowed.connectionCount]).toEqual([0, 0]);
  });

  it.each<[string, Records]>([
    ['IPv4', { A: ['127.0.0.1'] }],
    ['IPv6', { AAAA: ['::1'] }],
  ])('is shut for a name that changes after it was saved, to %s', async (family, changed) => {
    const name = `rebind-${family.toLowerCase()}.test`;
    dns.set(name, { A: [PUBLIC], ttl: 60 });
    expect((await save(`http://${name}:${trap.port}`)).status).toBe(201);
    dns.set(name, { ...changed, ttl: 60 });
    now += 60_000;
    expect((await attempted(service, await trigger(service, user))).error.code).toBe('blocked_address');
    expect(trap.connectionCount).toBe(0);
  });

  it('is not seen in a name that does not resolve: the webhook is saved, and its attempt fails', async () => {
    dns.set('unknown.test', 'servfail');
    expect((await save('http://unknown.test:8080')).status).toBe(201);
    expect((await attempted(service, await trigger(service, user))).error.code).toBe('dns');
  });

  it('is not opened by a redirect from an allowed network', async () => {
    allowed.respondWith({ status: 308, headers: { Location: `${trap.url}/` } });
    await createWebhook(service, { user_id: user, url: allowed.url });
    expect((await attempted(service, await trigger(service, user))).error.code).toBe('redirect');
    expect([allowed.requests.length, trap.connectionCount]).toEqual([1, 0]);
  });
});
