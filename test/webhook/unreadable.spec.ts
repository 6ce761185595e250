import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectProblem, MASK } from '../support/api.js';
import { HTTPS } from '../support/authentication/credentials.js';
import { clientTls } from '../support/certs/pem.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { K1, K2 } from '../support/keys.js';
import { finished, type Json, newUser, trigger } from '../support/scene.js';
import type { TestService } from '../support/service.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const ACCESS = {
  headers: { 'X-Team': 'risk', 'X-Api-Key': 's3cret' },
  authentication: { type: 'bearer', token: 's3cret' },
  tls: { ...clientTls('client'), ca: null },
};
const MASKED = {
  headers: { ...ACCESS.headers, 'X-Api-Key': MASK },
  authentication: { ...ACCESS.authentication, token: MASK },
  tls: { ...ACCESS.tls, client_key: MASK },
};
const ALL = ['headers', 'authentication', 'tls', 'secret'];
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

describe.each(databases)('a webhook whose encryption key is lost, on $name', (kind) => {
  const database = useDatabase(kind, 'block', 'migrated');
  const receiver = useReceiver();
  const users = Array.from({ length: 7 }, newUser);
  let service: TestService;
  let user: string;
  let mine: Json;

  const bodyOf = (of: string) =>
    webhookBody({ ...ACCESS, url: HTTPS, events: ['RECORD_FINISHED'], user_id: of, uid: of });
  const create = (by: TestService, of: string) =>
    by.call('POST', '/v1/webhook', bodyOf(of), { headers: { 'idempotency-key': of } });
  const start = (keys: string) => database.start({ ENCRYPTION_KEYS: keys, RETRY_SCHEDULE_SECONDS: '0.05' });
  const patch = (change: object) => service.call('PATCH', '/v1/webhook', { id: mine.id, ...change });
  const put = (change = {}) => service.call('PUT', '/v1/webhook', { ...bodyOf(user), ...change });
  const find = async (by = service) => (await by.call('GET', `/v1/webhook?id=${mine.id}`)).body;
  const secretOf = (by = service) => by.call('GET', `/v1/webhook/secret?id=${mine.id}`);

  const made = new Map<string, Json>();
  beforeAll(async () => {
    const first = await start(K1);
    for (const of of users) made.set(of, (await create(first, of)).body);
    await first.stop();
    service = await start(K2);
  });
  beforeEach(() => {
    user = users.pop() as string;
    mine = made.get(user);
    expect(mine).toMatchObject({ unreadable: [] });
  });

  it('is shown with what can be read of it, and names what cannot', async () => {
    const other = await createWebhook(service, { user_id: user, headers: ACCESS.headers });
    expect(other.unreadable).toEqual([]);
    const shown = { id: mine.id, name: mine.name, url: HTTPS, headers: {}, authentication: null, tls: null };
    expect(await find()).toMatchObject({ ...shown, unreadable: ALL });
    const { body } = await service.call('GET', `/v1/webhook/list?user_id=${user}`);
    expect(body.data).toMatchObject([
      { id: other.id, unreadable: [] },
      { ...shown, unreadable: ALL },
    ]);
    expect((await patch({ name: 'Renamed' })).body).toMatchObject({ name: 'Renamed', unreadable: ALL });
  });

  it('works again once everything is given anew', async () => {
    const plain = { headers: { 'X-Api-Key': 'new' }, authentication: null, tls: null, url: receiver.url };
    const body = { unreadable: ['secret'], headers: { 'X-Api-Key': MASK } };
    expect(await patch(plain)).toMatchObject({ status: 200, body });
    const rotated = await service.call('POST', '/v1/webhook/secret/rotate', { id: mine.id });
    // The one that nobody can read does not sign.
    expect(rotated).toMatchObject({ status: 200, body: { previous_expires_at: null } });
    expect(await find()).toMatchObject({ unreadable: [], previous_secrets_expire_at: [] });
    expect((await secretOf()).body.secret).toBe(rotated.body.secret);
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
    expect(receiver.requests[0]?.headers['x-api-key']).toBe('new');
  });

  it('is made so by PUT, with its secret', async () => {
    expect((await put()).body).toMatchObject({ unreadable: ['secret'] });
    const { authentication } = MASKED;
    const whole = { id: mine.id, unreadable: [], authentication };
    expect((await put({ secret: SECRET })).body).toMatchObject(whole);
    expect((await secretOf()).body.secret).toBe(SECRET);
  });

  it('keeps nothing behind a mask, and says so', async () => {
    const pointers = ['/headers/X-Api-Key', '/authentication/token', '/tls/client_key'];
    for (const answer of [await patch(MASKED), await put(MASKED)]) {
      expectProblem(answer, 400, 'credentials_required', pointers);
      expect(answer.body.detail).toMatch(/encryption key.* missing/);
    }
    expect((await patch({ headers: ACCESS.headers })).status).toBe(200);
    expect((await patch({ headers: { 'X-Api-Key': MASK } })).status).toBe(200);
  });

  it('is not pointed elsewhere with what may be readable again', async () => {
    const url = 'https://127.0.0.2:31151/hooks';
    const pointers = ['/headers', '/authentication', '/tls'];
    expectProblem(await patch({ url }), 400, 'credentials_required', pointers);
    const { headers } = ACCESS;
    expectProblem(await patch({ url, headers }), 400, 'credentials_required', pointers.slice(1));
    expect(await patch({ url, headers, authentication: null, tls: null })).toMatchObject({ status: 200 });
  });

  it('says what to do where its secret is needed', async () => {
    for (const path of ['secret', 'public-key']) {
      const answer = await service.call('GET', `/v1/webhook/${path}?id=${mine.id}`);
      expectProblem(answer, 409, 'secret_unreadable');
      expect(answer.body.detail).toContain('/v1/webhook/secret/rotate');
    }
    const again = await create(service, user);
    expectProblem(again, 409, 'answer_unreadable');
    expect(again.body.detail).toContain(mine.id);
    const signature = { scheme: 'github' };
    expect(await patch({ signature })).toMatchObject({ status: 200, body: { signature } });
    expect(await find()).toMatchObject({ unreadable: ALL.slice(0, 3) });
    expect((await secretOf()).status).toBe(200);
  });

  // The last one, as it stops the service of the others.
  it('is as it was once the key is back', async () => {
    await patch({ name: 'Renamed', headers: { 'X-Team': 'fraud' } });
    await service.stop();
    const whole = await start(`${K2},${K1}`);
    const headers = { 'X-Team': 'fraud' };
    expect(await find(whole)).toMatchObject({ ...MASKED, headers, unreadable: [] });
    expect((await secretOf(whole)).body.secret).toBe(mine.secret);
  });
});
