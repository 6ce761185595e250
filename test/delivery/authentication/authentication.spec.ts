import { describe, expect, it } from '@jest/globals';
import { MASK } from '../../support/api.js';
import { formOf, tokenReply } from '../../support/authentication/token-endpoint.js';
import { notify, record } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { once, transports, useAuthentication } from './use-authentication.js';

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

describe.each(transports)('authentication to receivers by %s', (transport) => {
  const scene = useAuthentication(transport);
  const { service, receiver, tokens, client, made, deliver, attempted, sent } = scene;

  it.each([
    ['basic', { type: 'basic', username: 'ada', password: 's3cret:päss' }, basic('ada', 's3cret:päss')],
    ['bearer', { type: 'bearer', token: 's3cret:token' }, 'Bearer s3cret:token'],
  ])('sends %s, and shows it to nobody', async (_type, authentication, header) => {
    const echo = { password: 's3cret:päss', token: 's3cret:token' };
    receiver.respondWith(({ headers }) => ({
      body: JSON.stringify([headers, echo['password' in authentication ? 'password' : 'token']]),
    }));
    await made(authentication, { headers: { 'X-Team': 'risk' } });
    const { attempts, request_data } = await deliver();
    expect(sent()).toEqual([header]);
    expect(request_data.headers).toMatchObject({ 'X-Team': 'risk', authorization: MASK });
    expect(JSON.stringify(attempts)).not.toContain('s3cret');
    expect(attempts[0].response_data.body).toContain(`"${MASK}"]`);
  });

  it('gets an access token, holds it, and shows neither it nor the client secret', async () => {
    receiver.respondWith(({ headers }) => ({ body: `${headers.authorization} s3cret:client~+` }));
    await made({ ...client(), scope: 'hooks.write more', audience: 'https://crm.example.com' });
    const first = await deliver();
    await deliver();
    expect(sent()).toEqual(['Bearer s3cret-token-1', 'Bearer s3cret-token-1']);
    expect(tokens.requests).toHaveLength(1);
    const [request] = tokens.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/token',
      headers: {
        authorization: basic('web+hooks', 's3cret%3Aclient~%2B'),
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
    });
    expect(request && formOf(request)).toEqual({
      grant_type: 'client_credentials',
      scope: 'hooks.write more',
      audience: 'https://crm.example.com',
    });
    expect(first.request_data.headers.authorization).toBe(MASK);
    expect(first.attempts[0].response_data.body).toBe(`${MASK} ${MASK}`);
  });

  it('shows its credentials in the body to a token endpoint that wants them there', async () => {
    tokens.respondWith((request) =>
      'client_secret' in formOf(request)
        ? tokenReply('s3cret-token', { expires_in: 0 })
        : { status: 401, body: '{"error":"invalid_client"}' },
    );
    await made(client());
    for (const count of [2, 3]) {
      expect(await deliver()).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
      expect(tokens.requests).toHaveLength(count);
    }
    expect(tokens.requests.at(-1)?.headers.authorization).toBeUndefined();
    expect(formOf(tokens.requests.at(-1) as never)).toMatchObject({ client_id: 'web hooks' });
  });

  it('asks for another token after a 401, once in an attempt', async () => {
    await made(client());
    await deliver();
    receiver.respondWith(({ headers }) => ({
      status: headers.authorization === 'Bearer s3cret-token-2' ? 200 : 401,
      body: String(headers.authorization),
    }));
    const renewed = await deliver();
    expect(renewed).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(renewed.attempts[0].response_data.body).toBe(MASK);
    expect(sent()).toEqual([1, 1, 2].map((n) => `Bearer s3cret-token-${n}`));
    expect(tokens.requests).toHaveLength(2);
  });

  it('takes a second 401 for an answer', async () => {
    receiver.respondWith({ status: 401 });
    await made(client(), { settings: once });
    const { error, attempts, attempt_count } = await attempted();
    expect({ error, attempt_count }).toEqual({
      error: { code: 'http_status', message: 'The receiver answered 401.' },
      attempt_count: 1,
    });
    expect(attempts[0].response_data.status).toBe(401);
    expect(sent()).toEqual(['Bearer s3cret-token-1', 'Bearer s3cret-token-2']);
  });

  it('says so if there is no other token after a 401', async () => {
    receiver.respondWith({ status: 401 });
    tokens.respondWith([tokenReply('s3cret-token'), { status: 503 }]);
    await made(client(), { settings: once });
    expect((await attempted()).error).toEqual({
      code: 'auth',
      message: 'The receiver did not accept the access token. The token endpoint answered 503.',
    });
  });

  it('does not keep a receiver without authentication from its deliveries', async () => {
    tokens.respondWith('silent');
    await made(client(), { settings: { ...once, timeout_ms: 1000 } });
    await createWebhook(service, { user_id: scene.user, url: `${receiver.url}/plain` });
    await notify(service, scene.user, { record });
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ path: '/plain' });
    expect(request?.headers.authorization).toBeUndefined();
  });
});
