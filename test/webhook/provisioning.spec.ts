import { beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookService } from '../../src/webhook/webhook.service.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

describe.each(databases)('provisioning webhooks on $name', (kind) => {
  const service = useService(kind, { WEBHOOKS_PER_USER: '3' });
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read', 'webhooks:write');
  });

  const put = (fields: object, headers: Record<string, string> = {}) =>
    service.call('PUT', '/v1/webhook', webhookBody({ uid: 'crm', ...fields }), { key, headers });
  const list = async () => (await service.call('GET', '/v1/webhook/list', undefined, { key })).body.data;
  const byUid = (uid: string, more = '', as = key) =>
    service.call('GET', `/v1/webhook?uid=${encodeURIComponent(uid)}${more}`, undefined, { key: as });

  it('creates a webhook once, and makes it so afterwards', async () => {
    const first = await put({
      events: ['RECORD_FINISHED'],
      metadata: { team: 'risk' },
      headers: { 'X-A': '1' },
    });
    expect(first).toMatchObject({
      status: 201,
      body: {
        uid: 'crm',
        user_id: user,
        metadata: { team: 'risk' },
        secret: expect.stringMatching(/^whsec_/),
      },
    });
    const second = await put({ name: 'CRM 2', events: ['STATUS_CHANGED'], description: 'd' });
    expect(second.status).toBe(200);
    expect(second.body).not.toHaveProperty('secret');
    expect(second.body).toMatchObject({
      id: first.body.id,
      name: 'CRM 2',
      description: 'd',
      metadata: {},
      headers: {},
      events: [{ kind: 'STATUS_CHANGED' }],
    });
    expect(await list()).toEqual([second.body]);
    expect((await byUid('crm')).body).toEqual(second.body);
  });

  it('changes nothing if it is so already', async () => {
    const description = {
      headers: { Authorization: 'Bearer x' },
      events: [{ kind: 'RECORD_FINISHED', filter: { a: 1 } }],
      metadata: { b: '2', a: '1' },
    };
    const { headers } = await put(description);
    const again = await put({ ...description, metadata: { a: '1', b: '2' } });
    expect(again.status).toBe(200);
    expect(again.headers.get('etag')).toBe(headers.get('etag'));
    const masked = await put({ ...description, headers: { Authorization: '********' } });
    expect(masked.headers.get('etag')).toBe(headers.get('etag'));
  });

  it('rotates a given secret in, and keeps one that is not given', async () => {
    const secret = (letter: string) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`;
    const { id } = (await put({ secret: secret('a') })).body;
    const shown = async () =>
      (await service.call('GET', `/v1/webhook/secret?id=${id}`, undefined, { key })).body.secret;
    await put({});
    expect(await shown()).toBe(secret('a'));
    expect((await put({ secret: secret('b') })).body.previous_secrets_expire_at).toHaveLength(1);
    expect(await shown()).toBe(secret('b'));
  });

  it('makes one webhook, however many calls come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => put({ name: `n${i}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(await list()).toHaveLength(1);
  });

  it.each(['"other"', '*'])('creates nothing with If-Match: %s where there is no webhook', async (tag) => {
    const uid = `missing-${tag.length}`;
    const answer = await put({ uid }, { 'if-match': tag });
    expect(answer).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    expect((await put({ uid })).status).toBe(201);
  });

  it('needs the credentials anew for another origin, and obeys If-Match', async () => {
    const { headers } = await put({ headers: { Authorization: 'Bearer x' } });
    const moved = { url: 'http://127.0.0.1:49152/hooks', headers: { Authorization: '********' } };
    expect(await put(moved)).toMatchObject({ status: 400, body: { code: 'credentials_required' } });
    expect((await put({ name: 'x' }, { 'if-match': '"other"' })).status).toBe(412);
    expect((await put({ name: 'x' }, { 'if-match': headers.get('etag') as string })).status).toBe(200);
  });

  it('gives each webhook of a user a uid of its own, which can be changed and taken away', async () => {
    const one = await createWebhook(service, { user_id: user, uid: 'a' });
    const other = await createWebhook(service, { user_id: user });
    expect(other).toMatchObject({ uid: null, metadata: {} });
    const create = await service.call('POST', '/v1/webhook', webhookBody({ uid: 'a' }), { key });
    expect(create).toMatchObject({ status: 409, body: { code: 'uid_taken' } });
    const change = (id: string, uid: string | null) =>
      service.call('PATCH', '/v1/webhook', { id, uid }, { key });
    expect(await change(other.id, 'a')).toMatchObject({ status: 409, body: { code: 'uid_taken' } });
    expect((await change(one.id, 'A')).body.uid).toBe('A');
    expect((await change(other.id, 'a')).body.uid).toBe('a');
    expect((await change(one.id, null)).body.uid).toBeNull();
    expect((await byUid('A')).status).toBe(404);
    await createWebhook(service, { user_id: newUser(), uid: 'a' });
  });

  it('counts towards the limit of webhooks', async () => {
    for (const uid of ['a', 'b', 'c']) expect((await put({ uid })).status).toBe(201);
    expect(await put({ uid: 'd' })).toMatchObject({ status: 422, body: { code: 'webhook_limit_reached' } });
    expect((await put({ uid: 'c', name: 'still' })).status).toBe(200);
  });

  it('lets only an admin name another user', async () => {
    await put({});
    const stranger = await service.keyFor(newUser(), 'webhooks:read', 'webhooks:write');
    expect((await byUid('crm', '', stranger)).status).toBe(404);
    expect((await byUid('crm', `&user_id=${user}`, stranger)).status).toBe(403);
    const other = webhookBody({ uid: 'crm', user_id: user });
    expect((await service.call('PUT', '/v1/webhook', other, { key: stranger })).status).toBe(403);
    const found = await service.call('GET', `/v1/webhook?uid=crm&user_id=${user}`);
    expect(found).toMatchObject({ status: 200, body: { user_id: user } });
    expect((await service.call('PUT', '/v1/webhook', other)).status).toBe(200);
    const reader = await service.keyFor(user, 'webhooks:read');
    expect(
      (await service.call('PUT', '/v1/webhook', webhookBody({ uid: 'x' }), { key: reader })).status,
    ).toBe(403);
  });

  it('names each wrong field', async () => {
    const pointers = async (fields: object) => {
      const { status, body } = await put(fields);
      return { status, pointers: (body.errors ?? []).map(({ pointer }: { pointer: string }) => pointer) };
    };
    const metadata = Object.assign(JSON.parse('{"__proto__":"kept"}'), {
      ['n'.repeat(65)]: 'x',
      a: 1,
      b: 'x'.repeat(257),
    });
    expect(await pointers({ uid: ' a', name: '', metadata })).toEqual({
      status: 400,
      pointers: ['/name', '/uid', `/metadata/${'n'.repeat(65)}`, '/metadata/a', '/metadata/b'],
    });
    expect(await pointers({ uid: null, metadata: [] })).toEqual({
      status: 400,
      pointers: ['/uid', '/metadata'],
    });
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, 'x']));
    expect(await pointers({ metadata: many })).toEqual({ status: 400, pointers: ['/metadata'] });
    const query = async (text: string) =>
      (await service.call('GET', `/v1/webhook?${text}`, undefined, { key })).body.errors[0].pointer;
    expect(await query('')).toBe('?id');
    expect(await query('id=01a2049e-c4bb-7763-b8df-2ae690a2803e&uid=a')).toBe('?uid');
    expect(await query(`id=01a2049e-c4bb-7763-b8df-2ae690a2803e&user_id=${user}`)).toBe('?user_id');
  });

  it('keeps every name of the metadata', async () => {
    const metadata = '{"__proto__":"kept","constructor":""}';
    const raw = `{"uid":"m","name":"n","url":"http://127.0.0.1:49151/","metadata":${metadata}}`;
    const made = await service.call('PUT', '/v1/webhook', undefined, { key, raw });
    expect(made.text).toContain(metadata);
  });

  it('is there for applications', async () => {
    const webhooks = service.get(WebhookService);
    const description = { uid: 'app', name: 'n', url: 'http://127.0.0.1:49151/' };
    const created = await webhooks.put(user, description);
    expect(created).toMatchObject({ uid: 'app', secret: expect.any(String) });
    expect(await webhooks.put(user, { ...description, name: 'm' })).toMatchObject({
      id: created.id,
      name: 'm',
    });
    expect(await webhooks.findByUid(user, 'app')).toMatchObject({ id: created.id, name: 'm' });
    await expect(webhooks.findByUid(user, 'none')).rejects.toMatchObject({ status: 404 });
    await expect(webhooks.put(user, { ...description, uid: '' })).rejects.toMatchObject({ status: 400 });
  });
});
