import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Sessions } from '../../src/auth/session/sessions.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { withinMinute } from '../http/minute.js';
import { DATE_TIME, expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useDatabase, useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { ADMIN_KEY, type Answer } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';
import { cookieOf, logIn, OWN, setCookieOf } from './log-in.js';

const HOUR = 3_600_000;
/** The key of the services under test. */
const vault = new Vault([{ id: 'test', key: Buffer.alloc(32, 1) }]);

describe.each(databases)('sessions on $name', (kind) => {
  const service = useService(kind);
  let port: string;
  let made: { id: string; key: string };
  let user: string;
  let cookie: string;

  const by = (method: string, path: string, body?: unknown, headers: Record<string, string> = OWN) =>
    service.call(method, path, body, { key: null, headers: { cookie, ...headers } });
  const newKey = async (scopes: string[]) =>
    (await service.call('POST', '/v1/api-key', { user_id: user, scopes })).body;

  /** What the cookie holds. */
  const sessionId = () => vault.open(cookie.split('=')[1] as string, 'session').split(' ')[1] as string;

  beforeAll(async () => {
    ({ port } = new URL(service.url));
    user = newUser();
    made = await newKey(['webhooks:read', 'webhooks:write']);
    cookie = cookieOf(await logIn(service, made.key));
  });

  it('are opened with a key, which is not in the cookie', async () => {
    const answer = await logIn(service, ` ${made.key}\n`);
    expect(answer).toMatchObject({
      status: 201,
      body: {
        user_id: user,
        scopes: ['webhooks:read', 'webhooks:write'],
        expires_at: expect.stringMatching(DATE_TIME),
      },
    });
    expect(Date.parse(answer.body.expires_at) - Date.now()).toBeGreaterThan(12 * HOUR - 60_000);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [value, ...attributes] = setCookieOf(answer).split('; ');
    expect(value).toMatch(new RegExp(`^webhook_session_${port}=test\\.[A-Za-z0-9_-]+$`));
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict']);
    for (const secret of [made.key, made.key.slice(4), made.id])
      expect(setCookieOf(answer)).not.toContain(secret);
    expect(cookieOf(answer)).not.toBe(cookieOf(await logIn(service, made.key)));
  });

  it('may do what the key may, for its user', async () => {
    expect(await by('GET', '/v1/me')).toMatchObject({ status: 200, body: { user_id: user } });
    const created = await by('POST', '/v1/webhook', { name: 'x', url: 'http://127.0.0.1:49151/' });
    expect(created).toMatchObject({ status: 201, body: { user_id: user } });
    expect((await by('GET', '/v1/webhook/list')).body.data).toHaveLength(1);
    const other = await createWebhook(service, { user_id: newUser() });
    expectProblem(await by('DELETE', `/v1/webhook?id=${other.id}`), 404, 'not_found');
    expectProblem(await by('GET', '/v1/api-key/list'), 403, 'forbidden');
  });

  it('are opened by no wrong key, and by nothing that is no key', async () => {
    for (const key of [`whk_${'B'.repeat(43)}`, 'x', ' ', 'whk_', `${made.key}x`]) {
      const answer = await logIn(service, key);
      expectProblem(answer, 401, 'unauthenticated');
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
    const open = (body: unknown) => service.call('POST', '/v1/session', body, { key: null });
    expectProblem(await open({}), 400, 'validation_failed', ['/key']);
    expectProblem(await open({ key: 7, user_id: 'x' }), 400, 'validation_failed', ['/key', '/user_id']);
    expectProblem(await open({ key: 'x'.repeat(201) }), 400, 'validation_failed', ['/key']);
    expectProblem(await open({ key: 'x'.repeat(2000) }), 413, 'body_too_large');
    const form = {
      key: null,
      raw: `key=${made.key}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expectProblem(await service.call('POST', '/v1/session', undefined, form), 415, 'unsupported_media_type');
    expectProblem(
      await service.call('POST', '/v1/session?key=x', { key: made.key }),
      400,
      'validation_failed',
      ['?key'],
    );
  });

  it('end when one leaves, also for who has kept the cookie', async () => {
    const left = { cookie: cookieOf(await logIn(service, made.key)), ...OWN };
    const answer = await by('DELETE', '/v1/session', undefined, left);
    expect(answer).toMatchObject({ status: 200, body: { left: true } });
    expectProblem(await by('GET', '/v1/me', undefined, left), 401, 'unauthenticated');
    expect((await by('GET', '/v1/me')).status).toBe(200);
    expect(setCookieOf(answer)).toBe(
      `webhook_session_${port}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    );
    const nobody = await service.call('DELETE', '/v1/session', undefined, { key: null });
    expect(nobody.status).toBe(200);
  });

  it('end with their key, at the next call, and the cookie goes', async () => {
    const { id, key } = await newKey(['webhooks:read']);
    const own = { cookie: cookieOf(await logIn(service, key)), ...OWN };
    const me = () => service.call('GET', '/v1/me', undefined, { key: null, headers: own });
    expect((await me()).status).toBe(200);
    await service.call('DELETE', `/v1/api-key?id=${id}`);
    const answer = await me();
    expectProblem(answer, 401, 'unauthenticated');
    expect(setCookieOf(answer)).toContain('Max-Age=0');
  });

  it('are a hundred of a key at most, the newest', async () => {
    const { key } = await newKey(['webhooks:read']);
    const cookies: string[] = [];
    for (let n = 0; n < 101; n++) cookies.push(cookieOf(await logIn(service, key)));
    const statusOf = async (one = '') =>
      (await by('GET', '/v1/me', undefined, { ...OWN, cookie: one })).status;
    expect(await statusOf(cookies[0])).toBe(401);
    expect(await statusOf(cookies[1])).toBe(200);
    expect(await statusOf(cookies[100])).toBe(200);
  });

  describe('by a link', () => {
    const link = async (keyId: string) => service.get(Sessions).link(keyId);
    const follow = (code: string) =>
      service.call('POST', '/v1/session', { code }, { key: null, headers: OWN });
    const forget = (clock: number) =>
      service.app
        .get(DataSource)
        .query('UPDATE webhook_session SET expires_at = ? WHERE code IS NOT NULL', [clock]);

    it('open once, for the key that it was made for', async () => {
      const code = await link(made.id);
      const answers = await Promise.all([follow(code), follow(code), follow(` ${code}\n`)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
      const opened = answers.find(({ status }) => status === 201) as Answer;
      expect(opened.body).toMatchObject({ user_id: user });
      const me = await by('GET', '/v1/me', undefined, { ...OWN, cookie: cookieOf(opened) });
      expect(me.body.user_id).toBe(user);
      expectProblem(await follow(code), 401, 'unauthenticated');
    });

    it('open no more after ten minutes, or when the key is gone', async () => {
      const late = await link(made.id);
      await forget(Date.now() - 1);
      expectProblem(await follow(late), 401, 'unauthenticated');
      const { id } = await newKey(['webhooks:read']);
      const orphan = await link(id);
      await service.call('DELETE', `/v1/api-key?id=${id}`);
      expectProblem(await follow(orphan), 401, 'unauthenticated');
    });

    it('need either a key or a code', async () => {
      const open = (body: unknown) => service.call('POST', '/v1/session', body, { key: null, headers: OWN });
      expectProblem(await open({ code: 'x', key: 'y' }), 400, 'validation_failed', ['/key']);
      expectProblem(await open({ code: 'x' }), 401, 'unauthenticated');
    });
  });

  it.each<[string, () => string]>([
    ['is over', () => vault.seal(`${Date.now() - 1} ${sessionId()}`, 'session')],
    ['was sealed for something else', () => vault.seal(`${Date.now() + HOUR} ${sessionId()}`, 'other')],
    [
      'was sealed with a key that is gone',
      () =>
        new Vault([{ id: 'old', key: Buffer.alloc(32, 2) }]).seal(
          `${Date.now() + HOUR} ${sessionId()}`,
          'session',
        ),
    ],
    [
      'was sealed with another key under the same id',
      () =>
        new Vault([{ id: 'test', key: Buffer.alloc(32, 2) }]).seal(
          `${Date.now() + HOUR} ${sessionId()}`,
          'session',
        ),
    ],
    ['is of no session', () => vault.seal(`${Date.now() + HOUR} x`, 'session')],
    ['holds the id of a key', () => vault.seal(`${Date.now() + HOUR} ${made.id}`, 'session')],
    ['holds nothing', () => vault.seal('', 'session')],
    ['is not sealed', () => sessionId()],
    ['is empty', () => ''],
    ['is a megabyte short of one', () => 'x'.repeat(8000)],
  ])('whose cookie %s are 401, and the cookie goes', async (_, value) => {
    const answer = await by('GET', '/v1/me', undefined, {
      ...OWN,
      cookie: `a=b; webhook_session_${port}=${value()}; c=d`,
    });
    expectProblem(answer, 401, 'unauthenticated');
    expect(setCookieOf(answer)).toContain(`webhook_session_${port}=; Max-Age=0;`);
  });

  it('hold for 12 hours', async () => {
    const almost = vault.seal(`${Date.now() + 60_000} ${sessionId()}`, 'session');
    const headers = { ...OWN, cookie: `webhook_session_${port}=${almost}` };
    expect((await by('GET', '/v1/me', undefined, headers)).status).toBe(200);
  });

  it('of a service on another port are not read', async () => {
    const headers = { ...OWN, cookie: cookie.replace(port, '1') };
    expectProblem(await by('GET', '/v1/me', undefined, headers), 401, 'unauthenticated');
  });

  it('are not looked at when the call has an Authorization header', async () => {
    const call = (authorization: string) =>
      service.call('GET', '/v1/me', undefined, {
        key: null,
        headers: { cookie, authorization, 'sec-fetch-site': 'cross-site' },
      });
    expect(await call(`Bearer ${ADMIN_KEY}`)).toMatchObject({ status: 200, body: { user_id: 'admin' } });
    expectProblem(await call('Bearer whk_wrong'), 401, 'unauthenticated');
  });
});

describe.each(databases)('sessions behind a proxy with TLS on $name', (kind) => {
  const service = useService(kind, { TRUSTED_PROXIES: '127.0.0.0/8' });
  const TLS = { 'x-forwarded-proto': 'https', ...OWN };

  it('have a cookie that only TLS and only this host can have set', async () => {
    const { port } = new URL(service.url);
    const answer = await logIn(service, ADMIN_KEY, TLS);
    const [value = '', ...attributes] = setCookieOf(answer).split('; ');
    expect(value).toMatch(new RegExp(`^__Host-webhook_session_${port}=`));
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/', 'HttpOnly', 'SameSite=Strict', 'Secure']);
    const me = (headers: Record<string, string>) =>
      service.call('GET', '/v1/me', undefined, { key: null, headers });
    expect((await me({ ...TLS, cookie: value })).status).toBe(200);
    // Planted by another host of the domain, or over plain HTTP.
    expect((await me({ ...TLS, cookie: value.replace('__Host-', '') })).status).toBe(401);
    expect((await me({ ...OWN, cookie: value })).status).toBe(401);
  });
});

describe.each(databases)('guessing keys by logging in on $name', (kind) => {
  const database = useDatabase(kind);

  it('is limited together with all other calls without a valid key', async () => {
    const service = await database.start({
      TRUSTED_PROXIES: '127.0.0.1',
      UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3',
    });
    let addresses = 0;
    const statuses = await withinMinute(async () => {
      const from = { ...OWN, 'x-forwarded-for': `198.51.100.${++addresses}` };
      const wrong = `whk_${'x'.repeat(43)}`;
      const made = [await logIn(service, wrong, from), await logIn(service, 'x', from)];
      made.push(await service.call('GET', '/v1/me', undefined, { key: wrong, headers: from }));
      made.push(await logIn(service, wrong, from), await logIn(service, ADMIN_KEY, OWN));
      return made.map(({ status }) => status);
    });
    expect(statuses).toEqual([401, 401, 401, 429, 201]);
  });

  it('is no way around the limit on calls without a valid key', async () => {
    const service = await database.start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' });
    const cookie = `webhook_session_${new URL(service.url).port}=x`;
    const statuses = await withinMinute(async () => {
      const made: Answer[] = [];
      for (let n = 0; n < 5; n++)
        made.push(await service.call('GET', '/v1/me', undefined, { key: null, headers: { cookie } }));
      return made.map(({ status }) => status);
    });
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });
});
