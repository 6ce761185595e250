import { describe, expect, it } from '@jest/globals';
import { Connector } from '../../../src/network/connector.js';
import { tokenReply } from '../../support/authentication/token-endpoint.js';
import { SQLITE } from '../../support/databases.js';
import { useReceiver, useService, useTokenEndpoint } from '../../support/fixture.js';
import type { Reply } from '../../support/receiver.js';
import { attempted, finished, newUser, trigger } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { once, transports, useAuthentication } from './use-authentication.js';

describe.each(transports)('a token endpoint by %s', (transport) => {
  const scene = useAuthentication(transport);
  const { service, receiver, tokens, client, made, deliver, attempted } = scene;

  it.each([
    ['0', 0, 2],
    ['negative', -5, 2],
    ['a negative string', '-5', 2],
    ['a string', '3600', 1],
    ['another string', 'soon', 1],
    ['huge', 1e300, 1],
    ['an object', {}, 1],
    ['left out', undefined, 1],
  ])('holds a token whose expires_in is %s as long as it may', async (_what, expires_in, asked) => {
    tokens.issue({ expires_in });
    await made(client());
    for (const _ of [1, 2]) expect(await deliver()).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(tokens.requests).toHaveLength(asked);
  });

  it('is asked by few, and for no longer than an attempt may last, if it hangs', async () => {
    tokens.respondWith('silent');
    await made(client(), { settings: { ...once, timeout_ms: 1000, concurrency: 5 } });
    for (const failed of await Promise.all([1, 2, 3].map(attempted)))
      expect(failed.error).toEqual({ code: 'auth', message: 'The token endpoint did not answer in time.' });
    expect(tokens.requests.length).toBeLessThanOrEqual(2);
    await tokens.waitFor(() => tokens.openConnections === 0);
  });

  const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });
  it.each<[string, Reply | string, RegExp]>([
    ['refuses the client', json({ error: 'invalid_client' }, 401), /answered 401 \(invalid_client\)\.$/],
    ['says what it likes', json({ error: 's3cret:client~+' }, 400), /answered 400\.$/],
    ['fails', { status: 500, body: 's3cret' }, /answered 500\.$/],
    ['redirects inside', { status: 307, headers: { location: 'http://127.0.0.1:31151/' } }, /307; redirects/],
    ['answers no JSON', { body: '<html>s3cret' }, /not a JSON object/],
    ['answers a list', json([]), /not a JSON object/],
    ['answers without a token', json({ token_type: 'Bearer' }), /no access_token/],
    ['answers a number', json({ access_token: 5, token_type: 'Bearer' }), /no access_token/],
    ['answers another type', json({ access_token: 'x', token_type: 'mac' }), /token_type.*not Bearer/],
    ['leaves the type out', json({ access_token: 'x' }), /token_type.*not Bearer/],
    ['breaks out of the header', tokenReply('x\r\nx-evil: 1'), /cannot be sent in a header/],
    ['gives a token as long as a book', tokenReply('x'.repeat(9000)), /cannot be sent in a header/],
    ['answers 10 MB', { body: Buffer.alloc(10_000_000, ' ') }, /too large/],
    ['never ends', 'endless-body', /too large/],
    ['answers a bomb', 'gzip-bomb', /too large|not a JSON/],
    ['closes the connection', 'close', /could not be asked: The connection was closed/],
    ['speaks no HTTP', 'garbage', /could not be asked/],
  ])('fails the attempt, and tries again, if the token endpoint %s', async (_fault, fault, message) => {
    tokens.respondWith(fault as Reply);
    await made(client(), { settings: once });
    const failed = await attempted();
    expect(failed).toMatchObject({
      status: 'PENDING',
      attempt_count: 1,
      error: { code: 'auth', message: expect.stringMatching(message) },
    });
    expect(failed.diagnosis.summary).toBe(failed.error.message);
    expect(JSON.stringify(failed)).not.toContain('s3cret');
    expect(receiver.requests).toHaveLength(0);
    tokens.issue();
    await service.call('POST', '/v1/webhook/trigger/retry', { id: failed.id });
    expect(await finished(service, failed.id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 2 });
  });
});

describe('a token endpoint whose name comes to mean the own network', () => {
  const service = useService(SQLITE, { ALLOW_PRIVATE_NETWORK: 'false', ALLOWED_NETWORKS: '127.0.0.2/32' });
  const receiver = useReceiver('test', { host: '127.0.0.2' });
  const trap = useTokenEndpoint();

  it('is not asked', async () => {
    const user = newUser();
    const connector = service.get(Connector);
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
    const failed = await attempted(service, id);
    expect(failed.error.code).toBe('auth');
    expect(failed.error.message).toMatch(/could not be asked.*not a public one/);
    expect(trap.connectionCount + receiver.connectionCount).toBe(0);
  });
});
