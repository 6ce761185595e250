import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Connector } from '../../../src/network/connector.js';
import { systemResolver } from '../../../src/network/dns/resolver.js';
import { DnsServer } from '../../egress/dns-server.js';
import { INSIDE_ANSWERS } from '../../egress/inside.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser, trigger, triggerWhen } from '../../support/scene.js';

describe.each(databases)('the way to internal addresses through the service, on $name', (kind) => {
  const service = useService(kind, {
    ALLOW_PRIVATE_NETWORK: 'false',
    ALLOWED_NETWORKS: '127.0.0.2/32',
    DELIVERY_TIMEOUT_MS: '10000',
    RETRY_SCHEDULE_SECONDS: '3600',
  });
  let dns: DnsServer;
  let user: string;

  beforeAll(async () => {
    dns = await DnsServer.start();
    for (const [name, records] of Object.entries(INSIDE_ANSWERS)) dns.set(name, records);
    const resolve = systemResolver({
      servers: [dns.address],
      lookup: async () => ['127.0.0.1'],
      now: () => 0,
    });
    Reflect.set(service.get(Connector), 'resolve', resolve);
  });
  beforeEach(() => {
    user = newUser();
  });
  afterAll(() => dns.close());

  const save = (url: string) =>
    service.call('POST', '/v1/webhook', { name: 'inside', url, user_id: user, events: ['RECORD_FINISHED'] });
  const attempted = (id: string) => triggerWhen(service, id, (found) => found.attempt_count === 1);

  it('waits 2 s for a hanging name server when saving, and fails the attempt', async () => {
    dns.set('silent.test', 'silent');
    const start = performance.now();
    expect((await save('http://silent.test:8080')).status).toBe(201);
    expect(performance.now() - start).toBeLessThan(3_000);
    const { error, attempts } = await attempted(await trigger(service, user));
    expect(error.code).toBe('dns');
    expect(attempts[0].duration_ms).toBeLessThan(3_000);
  });
});
