import { beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem, MASK, NO_ID } from '../support/api.js';
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
    const metadata = { team: 'risk' };
    const first = await put({ events: ['RECORD_FINISHED'], metadata, headers: { 'X-A': '1' } });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ uid: 'crm', user_id: user, metadata });
    expect(first.body.secret).toMatch(/^whsec_/);
    const changes = { name: 'CRM 2', description: 'd' };
    const second = await put({ ...changes, events: ['STATUS_CHANGED'] });
    expect(second.status).toBe(200);
    expect(second.body).not.toHaveProperty('secret');
    const made = { id: first.body.id, ...changes, metadata: {}, headers: {} };
    expect(second.body).toMatchObject({ ...made, events: [{ kind: 'STATUS_CHANGED' }] });
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
    const masked = await put({ ...description, headers: { Authorization: MASK } });
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
    expectProblem(await put({}, { 'if-match': tag }), 412, 'precondition_failed');
    expect((await put({})).status).toBe(201);
  });

  it('needs the credentials anew for another origin, and obeys If-Match', async () => {
    const { headers } = await put({ headers: { Authorization: 'Bearer x' } });
    const moved = { url: 'http://127.0.0.1:49152/hooks', headers: { Authorization: MASK } };
    expectProblem(await put(moved), 400, 'credentials_required');
    expectProblem(await put({ name: 'x' }, { 'if-match': '"other"' }), 412, 'precondition_failed');
    expect((await put({ name: 'x' }, { 'if-match': headers.get('etag') as string })).status).toBe(200);
  });

  it('gives each webhook of a user a uid of its own, which can be changed and taken away', async () => {
    const one = await createWebhook(service, { user_id: user, uid: 'a' });
    const other = await createWebhook(service, { user_id: user });
    expect(other).toMatchObject({ uid: null, metadata: {} });
    const create = await service.call('POST', '/v1/webhook', webhookBody({ uid: 'a' }), { key });
    expectProblem(create, 409, 'uid_taken');
    const change = (id: string, uid: string | null) =>
      service.call('PATCH', '/v1/webhook', { id, uid }, { key });
    expectProblem(await change(other.id, 'a'), 409, 'uid_taken');
    expect((await change(one.id, 'A')).body.uid).toBe('A');
    expect((await change(other.id, 'a')).body.uid).toBe('a');
    expect((await change(one.id, null)).body.uid).toBeNull();
    expect((await byUid('A')).status).toBe(404);
    await createWebhook(service, { user_id: newUser(), uid: 'a' });
  });

  it('never exceeds the limit of webhooks of a user', async () => {
    const create = () => service.call('POST', '/v1/webhook', webhookBody(), { key });
    const answers = await Promise.all(Array.from({ length: 30 }, create));
    const { 201: created = [], 422: refused = [] } = Object.groupBy(answers, ({ status }) => status);
    expect([created.length, refused.length]).toEqual([3, 27]);
    for (const answer of refused) expectProblem(answer, 422, 'webhook_limit_reached');
    expect(await list()).toHaveLength(3);
    const byAdmin = await service.call('POST', '/v1/webhook', webhookBody({ user_id: user }));
    expectProblem(byAdmin, 422, 'webhook_limit_reached');
    await createWebhook(service, { user_id: newUser() });
    await service.call('DELETE', `/v1/webhook?id=${created[0]?.body.id}`, undefined, { key });
    expect((await put({})).status).toBe(201);
    expectProblem(await create(), 422, 'webhook_limit_reached');
    expectProblem(await put({ uid: 'another' }), 422, 'webhook_limit_reached');
    expect((await put({ name: 'still' })).status).toBe(200);
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
  });

  it('names each wrong field', async () => {
    const metadata = { ['n'.repeat(65)]: 'x', a: 1, b: 'x'.repeat(257) };
    const pointers = ['/name', '/uid', `/metadata/${'n'.repeat(65)}`, '/metadata/a', '/metadata/b'];
    expectProblem(await put({ uid: ' a', name: '', metadata }), 400, 'validation_failed', pointers);
    expectProblem(await put({ uid: null, metadata: [] }), 400, 'validation_failed', ['/uid', '/metadata']);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, 'x']));
    expectProblem(await put({ metadata: many }), 400, 'validation_failed', ['/metadata']);
    for (const [query, parameter] of [
      ['', '?id'],
      [`id=${NO_ID}&uid=a`, '?uid'],
      [`id=${NO_ID}&user_id=${user}`, '?user_id'],
    ] as const)
      expectProblem(await service.call('GET', `/v1/webhook?${query}`), 400, 'validation_failed', [parameter]);
  });

  it('keeps every name of the metadata', async () => {
    const metadata = '{"__proto__":"kept","constructor":""}';
    const raw = `{"uid":"m","name":"n","url":"http://127.0.0.1:31151/","metadata":${metadata}}`;
    const made = await service.call('PUT', '/v1/webhook', undefined, { key, raw });
    expect(made.text).toContain(metadata);
  });
});
