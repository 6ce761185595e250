import { describe, expect, it } from '@jest/globals';
import { Connector } from '../../src/egress/connector.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTokenEndpoint } from '../support/fixture.js';
import { newUser, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const once = { retry_schedule_seconds: [604_800] };

describe.each(databases)('a token endpoint whose name comes to mean the own network, on $name', (kind) => {
  const service = useService(kind, { ALLOW_PRIVATE_NETWORK: 'false', ALLOWED_NETWORKS: '127.0.0.2/32' });
  const receiver = useReceiver('test', { host: '127.0.0.2' });
  const trap = useTokenEndpoint();

  it('is not asked', async () => {
    const user = newUser();
    const connector = service.app.get(Connector, { strict: false });
    Reflect.set(connector, 'resolve', () => Promise.reject(new Error('not there')));
    await createWebhook(service, {
      user_id: user,
      url: receiver.url,
      authentication: {
        type: 'oauth2',
        token_url: `http://login.example.com:${trap.port}/`,
        client_id: 'a',
        client_secret: 's3cret',
      },
      settings: once,
    });
    Reflect.set(connector, 'resolve', async () => ['127.0.0.1']);
    const id = await trigger(service, user);
    const failed = await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
    expect(failed.error.code).toBe('auth');
    expect(failed.error.message).toMatch(/could not be asked.*not a public one/);
    expect(trap.connectionCount + receiver.connectionCount).toBe(0);
  });
});
