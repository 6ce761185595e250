import { describe, expect, it } from '@jest/globals';
import { SCOPES } from '../../src/platform/access/scope.js';
import { DATE_TIME, expectProblem, ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { linkedPages } from '../support/linked-pages.js';
import { operations } from '../support/operations.js';
import { newUser } from '../support/scene.js';
import { ADMIN_KEY } from '../support/service.js';
import { until } from '../support/until.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const KEY = /^whk_[A-Za-z0-9_-]{43}$/;
const LIST = '/v1/webhook/list';
/** Streams are in `streams.spec.ts`. */
const scoped = operations.filter(({ path, scope }) => scope !== null && !path.endsWith('/stream'));

describe.each(databases)('API keys on $name', (kind) => {
  const service = useService(kind);

  const create = (body: object) => service.call('POST', '/v1/api-key', body);
  const remove = (id: string) => service.call('DELETE', `/v1/api-key?id=${id}`);
  const as = (key: string | null, path = LIST) => service.call('GET', path, undefined, { key });

  it('are created, used, listed and revoked', async () => {
    const scopes = ['webhooks:read', 'webhooks:write'];
    const answer = await create({ user_id: 'acme', scopes, name: 'CRM 🦄' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { key, ...shown } = answer.body;
    expect(key).toMatch(KEY);
    expect(shown).toEqual({
      id: expect.stringMatching(ID),
      user_id: 'acme',
      scopes,
      name: 'CRM 🦄',
      created_at: expect.stringMatching(DATE_TIME),
      last_used_at: null,
    });
    const listed = await as(ADMIN_KEY, '/v1/api-key/list');
    expect(listed.body.data[0]).toEqual(shown);
    expect(listed.text).not.toContain(key);

    expect((await as(key)).status).toBe(200);
    await until(async () => {
      const { data } = (await as(ADMIN_KEY, '/v1/api-key/list?user_id=acme')).body;
      return data[0].last_used_at !== null;
    });

    expect(await remove(shown.id)).toMatchObject({ status: 200, body: { id: shown.id, deleted: true } });
    expectProblem(await as(key), 401, 'unauthenticated');
    expectProblem(await remove(shown.id), 404, 'not_found');
  });

  it('are listed by user, page by page', async () => {
    const user_id = newUser();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) made.push((await create({ user_id, scopes: ['admin'] })).body.id);
    const pages = await linkedPages(service, `/v1/api-key/list?user_id=${user_id}&limit=2`);
    const found = pages.flatMap(({ body }) => body.data);
    expect(found.map(({ id }) => id)).toEqual(made.reverse());
    expectProblem(await as(ADMIN_KEY, '/v1/api-key/list?limit=0&x=1'), 400, 'validation_failed', [
      '?limit',
      '?x',
    ]);
  });

  it.each<[object, string[]]>([
    [{}, ['/user_id', '/scopes']],
    [{ user_id: '', scopes: [] }, ['/user_id', '/scopes']],
    [{ user_id: ' x', scopes: ['admin'] }, ['/user_id']],
    [{ user_id: 'x'.repeat(129), scopes: ['admin'] }, ['/user_id']],
    [{ user_id: 'a\nb', scopes: ['admin'] }, ['/user_id']],
    [{ user_id: '\ud800', scopes: ['admin'] }, ['/user_id']],
    [{ user_id: 'x', scopes: ['admin', 'root'], name: 7 }, ['/scopes/1', '/name']],
    [{ user_id: 'x', scopes: 'admin', key: 'whk_x' }, ['/scopes', '/key']],
  ])('are not created from %j', async (body, pointers) => {
    expectProblem(await create(body), 400, 'validation_failed', pointers);
  });

  it.each(SCOPES)(
    'with the scope %s allow exactly the calls of that scope, and to ask whose key it is',
    async (scope) => {
      const user = newUser();
      const key = await service.keyFor(user, scope);
      for (const { method, path, scope: needed } of scoped) {
        const answer = await service.call(method, path, undefined, { key });
        if (scope !== needed && scope !== 'admin') expectProblem(answer, 403, 'forbidden');
        else expect([401, 403]).not.toContain(answer.status);
        expect(answer.status).toBeLessThan(500);
      }
      const me = await as(key, '/v1/me');
      expect(me.status).toBe(200);
      expect(me.body).toEqual({ user_id: user, scopes: [scope] });
    },
  );

  it('say whose they are to nobody else', async () => {
    expectProblem(await as(null, '/v1/me'), 401, 'unauthenticated');
    expectProblem(await as(ADMIN_KEY, '/v1/me?user_id=x'), 400, 'validation_failed', ['?user_id']);
  });

  it('of an administrator act for every user', async () => {
    const [mine, other] = [newUser(), newUser()];
    const key = await service.keyFor(mine, 'webhooks:read', 'webhooks:write');
    const own = await createWebhook(service, {}, key);
    expect(own.user_id).toBe(mine);
    const given = await createWebhook(service, { user_id: other });
    expect(given.user_id).toBe(other);
    const idsOf = async (user: string, who: string) =>
      (await as(who, `${LIST}?user_id=${user}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf(other, ADMIN_KEY)).toEqual([given.id]);
    expect(await idsOf(mine, ADMIN_KEY)).toEqual([own.id]);
    expect(await idsOf(mine, key)).toEqual([own.id]);
    expect(await idsOf(other, key)).toEqual([]);
    expect((await as(key, `/v1/webhook/trigger/list?user_id=${other}`)).body.data).toEqual([]);
    for (const user_id of [other, mine]) {
      const answer = await service.call('POST', '/v1/webhook', webhookBody({ user_id }), { key });
      expectProblem(answer, 403, 'forbidden');
    }
  });

  it('distinguish users with similar names', async () => {
    const users = ['zoë', 'zoe', 'Zoe', 'zoe\u0308', 'zoe%', '🦄', '🦊'];
    for (const user of users) await createWebhook(service, { user_id: user, name: user });
    for (const user of users) {
      const key = await service.keyFor(user, 'webhooks:read');
      expect((await as(key)).body.data).toMatchObject([{ name: user }]);
      const found = await as(ADMIN_KEY, `${LIST}?user_id=${encodeURIComponent(user)}`);
      expect(found.body.data).toMatchObject([{ name: user }]);
    }
  });

  it('are accepted only as bearer tokens', async () => {
    const key = await service.keyFor('acme', 'webhooks:read');
    const get = (headers: Record<string, string>) =>
      service.call('GET', LIST, undefined, { key: null, headers });
    for (const scheme of ['Bearer', 'bearer', 'BEARER ']) {
      expect((await get({ authorization: `${scheme} ${key}` })).status).toBe(200);
    }
    const last = key.endsWith('A') ? 'E' : 'A';
    const malformed = [
      '',
      key,
      'Bearer',
      'Bearer ',
      `Bearer${key}`,
      `Basic ${key}`,
      `Token ${key}`,
      `Bearer ${key}x`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key.slice(0, -1)}${last}`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer "${key}"`,
      `Bearer whk_${'B'.repeat(43)}`,
      `Bearer ${'x'.repeat(8000)}`,
      "Bearer ' OR 1=1 --",
    ];
    for (const authorization of malformed) {
      const answer = await get({ authorization });
      expectProblem(answer, 401, 'unauthenticated');
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expectProblem(await get({}), 401, 'unauthenticated');
    expectProblem(await get({ 'x-api-key': key }), 401, 'unauthenticated');
    expectProblem(await as(null, `${LIST}?api_key=${key}`), 401, 'unauthenticated');
  });
});
