import { beforeEach, describe, expect, it } from '@jest/globals';
import { MASK } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTokenEndpoint } from '../support/fixture.js';
import type { Reply } from '../support/receiver.js';
import { finished, newUser, notify, record, trigger, triggerWhen } from '../support/scene.js';
import { formOf, tokenReply } from '../support/token-endpoint.js';
import { createWebhook } from '../support/webhook.js';

const combinations = databases.flatMap((kind) =>
  ['undici', 'axios'].map((transport) => ({ kind, transport, name: kind.name })),
);
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const once = { retry_schedule_seconds: [604_800] };

describe.each(combinations)('authentication to receivers on $name by $transport', ({ kind, transport }) => {
  const service = useService(kind, { DELIVERY_TRANSPORT: transport, RETRY_SCHEDULE_SECONDS: '0,0,0' });
  const receiver = useReceiver('test');
  const tokens = useTokenEndpoint();
  let user: string;

  beforeEach(() => {
    user = newUser();
    receiver.respondWith(({ headers }) => ({ body: JSON.stringify(headers) }));
  });

  const client = () => ({
    type: 'oauth2',
    token_url: `${tokens.url}/token`,
    client_id: 'web hooks',
    client_secret: 's3cret:client~+',
  });
  const made = (authentication: object, more: object = {}) =>
    createWebhook(service, { user_id: user, url: receiver.url, authentication, ...more });
  const deliver = async () => finished(service, await trigger(service, user), 15_000);
  const attempted = async () =>
    triggerWhen(service, await trigger(service, user), ({ attempt_count }) => attempt_count >= 1);
  const sent = () => receiver.requests.map(({ headers }) => headers.authorization);

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

  it('asks once for twenty deliveries at the same time', async () => {
    const gate = Promise.withResolvers<void>();
    tokens.respondWith(() => ({ ...tokenReply('s3cret-token'), after: gate.promise }));
    await made(client(), { settings: { concurrency: 20 } });
    const ids = await Promise.all(Array.from({ length: 20 }, () => trigger(service, user)));
    await tokens.waitFor(1);
    for (const id of ids) await triggerWhen(service, id, ({ status }) => status === 'DELIVERING');
    gate.resolve();
    for (const id of ids) expect(await finished(service, id)).toMatchObject({ attempt_count: 1 });
    expect(tokens.requests).toHaveLength(1);
    expect(new Set(sent())).toEqual(new Set(['Bearer s3cret-token']));
    expect(receiver.requests).toHaveLength(20);
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

  it('uses no token of other settings', async () => {
    const { id } = await made(client());
    await deliver();
    await service.call('PATCH', '/v1/webhook', {
      id,
      name: 'x',
      authentication: { ...client(), client_secret: MASK },
    });
    await deliver();
    expect(tokens.requests).toHaveLength(1);
    await service.call('PATCH', '/v1/webhook', { id, authentication: { ...client(), client_secret: 'new' } });
    await deliver();
    const other = await made(client(), { events: [] });
    await service.call('POST', '/v1/webhook/test', { id: other.id });
    await receiver.waitFor(4);
    expect(sent()).toEqual([1, 1, 2, 3].map((n) => `Bearer s3cret-token-${n}`));
  });

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

  const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });
  it.each<[string, Reply | string, RegExp]>([
    ['refuses the client', json({ error: 'invalid_client' }, 401), /answered 401 \(invalid_client\)\.$/],
    ['says what it likes', json({ error: 's3cret:client~+' }, 400), /answered 400\.$/],
    ['fails', { status: 500, body: 's3cret' }, /answered 500\.$/],
    ['redirects inside', { status: 307, headers: { location: 'http://127.0.0.1:49151/' } }, /307; redirects/],
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

  it('gives up at the deadline of the attempt if the token endpoint hangs', async () => {
    tokens.respondWith('silent');
    const settings = { ...once, timeout_ms: 1000, concurrency: 5 };
    await made(client(), { settings });
    const ids = await Promise.all([1, 2, 3].map(() => trigger(service, user)));
    for (const id of ids) {
      const failed = await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
      expect(failed.error).toEqual({ code: 'auth', message: 'The token endpoint did not answer in time.' });
      expect(failed.attempts[0].duration_ms).toBeLessThan(3000);
    }
    expect(tokens.requests.length).toBeLessThanOrEqual(2);
    await tokens.waitFor(() => tokens.openConnections === 0);
  });

  it('is retried on the schedule until a token comes', async () => {
    tokens.respondWith([{ status: 503 }, { status: 503 }, tokenReply('s3cret-token')]);
    await made(client());
    expect(await deliver()).toMatchObject({ status: 'SUCCEEDED', attempt_count: 3 });
  });

  it('does not keep a receiver without authentication from its deliveries', async () => {
    tokens.respondWith('silent');
    await made(client(), { settings: { ...once, timeout_ms: 1000 } });
    await createWebhook(service, { user_id: user, url: `${receiver.url}/plain` });
    await notify(service, user, { record });
    const [request] = await receiver.waitFor(1);
    expect(request).toMatchObject({ path: '/plain' });
    expect(request?.headers.authorization).toBeUndefined();
  });
});
