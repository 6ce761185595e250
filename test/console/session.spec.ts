import { beforeAll, describe, expect, it } from '@jest/globals';
import { Sessions } from '../../src/auth/session/sessions.js';
import { Vault } from '../../src/platform/secret/vault.js';
import { DATE_TIME, expectProblem } from '../support/api.js';
import { databases, SQLITE } from '../support/databases.js';
import { useService, useTestClock } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { ADMIN_KEY, type Answer, type CallOptions } from '../support/service.js';
import { createWebhook } from '../support/webhook.js';
import { cookieOf, logIn, OWN, setCookieOf } from './log-in.js';

const HOUR = 3_600_000;
const vaultOf = (id: string, byte: number) => new Vault([{ id, key: Buffer.alloc(32, byte) }]);
/** The one of the services under test. */
const vault = vaultOf('test', 1);

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

  /** What the API says to who has this cookie. */
  const me = (own = cookie) => by('GET', '/v1/me', undefined, { ...OWN, cookie: own });
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
    expect(await me()).toMatchObject({ status: 200, body: { user_id: user } });
    const created = await by('POST', '/v1/webhook', { name: 'x', url: 'http://127.0.0.1:31151/' });
    expect(created).toMatchObject({ status: 201, body: { user_id: user } });
    expect((await by('GET', '/v1/webhook/list')).body.data).toHaveLength(1);
    const other = await createWebhook(service, { user_id: newUser() });
    expectProblem(await by('DELETE', `/v1/webhook?id=${other.id}`), 404, 'not_found');
    expectProblem(await by('GET', '/v1/api-key/list'), 403, 'forbidden');
  });

  const site = (name: string) => ({ 'sec-fetch-site': name });
  // HERE stands for the address of the service.
  const rows: [method: string, says: string, headers: Record<string, string>, isLetIn: boolean][] = [
    ['GET', 'same-origin', OWN, true],
    ['POST', 'same-origin', OWN, true],
    ['GET', 'none, as for an address that was typed', site('none'), true],
    ['POST', 'none', site('none'), false],
    ['GET', 'same-site, as another port is', site('same-site'), false],
    ['POST', 'same-site', site('same-site'), false],
    ['GET', 'cross-site', site('cross-site'), false],
    ['GET', 'a link from elsewhere', { ...site('cross-site'), 'sec-fetch-mode': 'navigate' }, false],
    ['POST', 'cross-site', { ...site('cross-site'), origin: 'http://HERE' }, false],
    ['GET', 'nothing, as over plain HTTP', {}, true],
    ['POST', 'nothing', {}, false],
    ['POST', 'its own Origin', { origin: 'http://HERE' }, true],
    ['GET', 'its own Origin', { origin: 'http://HERE' }, true],
    ['POST', 'its own Origin over TLS, which a proxy ended', { origin: 'https://HERE' }, true],
    ['POST', 'another Origin', { origin: 'https://evil.example' }, false],
    ['GET', 'another Origin', { origin: 'https://evil.example' }, false],
    ['POST', 'another port', { origin: 'http://127.0.0.1:1' }, false],
    ['POST', 'an Origin that this one begins with', { origin: 'http://127.0.0.1' }, false],
    ['POST', 'an Origin that has this one as its user', { origin: 'http://HERE@evil.example' }, false],
    ['POST', 'an opaque Origin', { origin: 'null' }, false],
    ['POST', 'a file as Origin', { origin: 'file://' }, false],
    ['POST', 'no Origin at all', { origin: '' }, false],
  ];
  it.each(rows)(
    'are used by pages of the same origin only: %s with %s',
    async (method, _, headers, isLetIn) => {
      const { host } = new URL(service.url);
      const sent = Object.entries(headers).map(([name, value]) => [name, value.replace('HERE', host)]);
      const path = method === 'POST' ? '/v1/webhook/trigger/retry' : '/v1/webhook/list';
      const body = method === 'POST' ? { ids: [] } : undefined;
      const answer = await by(method, path, body, Object.fromEntries(sent));
      if (isLetIn) expect([200, 400]).toContain(answer.status);
      else {
        expectProblem(answer, 403, 'cross_site');
        expect(answer.headers.has('set-cookie')).toBe(false);
      }
    },
  );

  it('are neither opened nor left by another page', async () => {
    for (const headers of [site('same-site'), { origin: 'https://evil.example' }]) {
      expectProblem(await logIn(service, made.key, headers), 403, 'cross_site');
      expectProblem(await by('DELETE', '/v1/session', undefined, headers), 403, 'cross_site');
    }
    expect((await logIn(service, made.key, {})).status).toBe(201);
  });

  it('are opened by no wrong key, and by nothing that is no key', async () => {
    for (const key of [`whk_${'B'.repeat(43)}`, 'x', ' ', 'whk_', `${made.key}x`]) {
      const answer = await logIn(service, key);
      expectProblem(answer, 401, 'unauthenticated');
      expect(answer.headers.has('set-cookie')).toBe(false);
    }
    const open = (body: unknown, query = '') =>
      service.call('POST', `/v1/session${query}`, body, { key: null });
    expectProblem(await open({}), 400, 'validation_failed', ['/key']);
    expectProblem(await open({ key: 7, user_id: 'x' }), 400, 'validation_failed', ['/key', '/user_id']);
    expectProblem(await open({ key: 'x', code: 'y' }), 400, 'validation_failed', ['/key']);
    expectProblem(await open({ key: 'x'.repeat(201) }), 400, 'validation_failed', ['/key']);
    expectProblem(await open({ key: made.key }, '?key=x'), 400, 'validation_failed', ['?key']);
    expectProblem(await open({ key: 'x'.repeat(2000) }), 413, 'body_too_large');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = { key: null, raw: `key=${made.key}`, headers };
    expectProblem(await service.call('POST', '/v1/session', undefined, form), 415, 'unsupported_media_type');
  });

  it('end when one leaves, also for who has kept the cookie', async () => {
    const left = { cookie: cookieOf(await logIn(service, made.key)), ...OWN };
    const answer = await by('DELETE', '/v1/session', undefined, left);
    expect(answer).toMatchObject({ status: 200, body: { left: true } });
    expectProblem(await me(left.cookie), 401, 'unauthenticated');
    expect((await me()).status).toBe(200);
    expect(setCookieOf(answer)).toBe(
      `webhook_session_${port}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
    );
    const nobody = await service.call('DELETE', '/v1/session', undefined, { key: null });
    expect(nobody.status).toBe(200);
  });

  it('end with their key, at the next call, and the cookie goes', async () => {
    const { id, key } = await newKey(['webhooks:read']);
    const own = cookieOf(await logIn(service, key));
    expect((await me(own)).status).toBe(200);
    await service.call('DELETE', `/v1/api-key?id=${id}`);
    const answer = await me(own);
    expectProblem(answer, 401, 'unauthenticated');
    expect(setCookieOf(answer)).toContain('Max-Age=0');
  });

  it('are a hundred of a key at most, the newest', async () => {
    const { key } = await newKey(['webhooks:read']);
    const cookies: string[] = [];
    for (let n = 0; n < 101; n++) cookies.push(cookieOf(await logIn(service, key)));
    const answers = [await me(cookies[0]), await me(cookies[1]), await me(cookies[100])];
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 200]);
  });

  describe('by a link', () => {
    const link = async (keyId: string) => service.get(Sessions).link(keyId);
    const follow = (code: string) =>
      service.call('POST', '/v1/session', { code }, { key: null, headers: OWN });

    it('open once, for the key that it was made for', async () => {
      const code = await link(made.id);
      const answers = await Promise.all([follow(code), follow(code), follow(` ${code}\n`)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
      const opened = answers.find(({ status }) => status === 201) as Answer;
      expect(opened.body).toMatchObject({ user_id: user });
      expect((await me(cookieOf(opened))).body.user_id).toBe(user);
      for (const none of [code, 'x']) expectProblem(await follow(none), 401, 'unauthenticated');
    });

    it('open no more after ten minutes, or when the key is gone', async () => {
      const late = await link(made.id);
      const past = 'UPDATE webhook_session SET expires_at = ? WHERE code IS NOT NULL';
      await service.query(past, [Date.now() - 1]);
      expectProblem(await follow(late), 401, 'unauthenticated');
      const { id } = await newKey(['webhooks:read']);
      const orphan = await link(id);
      await service.call('DELETE', `/v1/api-key?id=${id}`);
      expectProblem(await follow(orphan), 401, 'unauthenticated');
    });
  });

  const later = () => `${Date.now() + HOUR} ${sessionId()}`;
  it.each<[string, () => string]>([
    ['is over', () => vault.seal(`${Date.now() - 1} ${sessionId()}`, 'session')],
    ['was sealed for something else', () => vault.seal(later(), 'other')],
    ['was sealed with a key that is gone', () => vaultOf('old', 2).seal(later(), 'session')],
    ['was sealed with another key under the same id', () => vaultOf('test', 2).seal(later(), 'session')],
    ['is of no session', () => vault.seal(`${Date.now() + HOUR} x`, 'session')],
    ['holds the id of a key', () => vault.seal(`${Date.now() + HOUR} ${made.id}`, 'session')],
    ['holds nothing', () => vault.seal('', 'session')],
    ['is not sealed', () => sessionId()],
    ['is empty', () => ''],
    ['is as long as a head may be', () => 'x'.repeat(8000)],
  ])('whose cookie %s are 401, and the cookie goes', async (_, value) => {
    const answer = await me(`a=b; webhook_session_${port}=${value()}; c=d`);
    expectProblem(answer, 401, 'unauthenticated');
    expect(setCookieOf(answer)).toContain(`webhook_session_${port}=; Max-Age=0;`);
  });

  it('hold until the time in their cookie, which is of this port', async () => {
    const almost = vault.seal(`${Date.now() + 60_000} ${sessionId()}`, 'session');
    expect((await me(`webhook_session_${port}=${almost}`)).status).toBe(200);
    expectProblem(await me(cookie.replace(port, '1')), 401, 'unauthenticated');
  });

  it('are not looked at when the call has an Authorization header', async () => {
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };
    const call = (key: string) => service.call('GET', '/v1/me', undefined, { key, headers });
    expect(await call(ADMIN_KEY)).toMatchObject({ status: 200, body: { user_id: 'admin' } });
    expectProblem(await call('whk_wrong'), 401, 'unauthenticated');
  });
});

describe('sessions behind a proxy with TLS', () => {
  const service = useService(SQLITE, { TRUSTED_PROXIES: '127.0.0.0/8' });
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

describe('guessing keys by logging in', () => {
  useTestClock();
  const service = useService(SQLITE, {
    TRUSTED_PROXIES: '127.0.0.1',
    UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '4',
  });

  it('is limited together with all other calls without a valid key, also with a cookie', async () => {
    const from = { ...OWN, 'x-forwarded-for': '198.51.100.1' };
    const key = `whk_${'x'.repeat(43)}`;
    const cookie = `webhook_session_${new URL(service.url).port}=x`;
    const me = (options: CallOptions) => service.call('GET', '/v1/me', undefined, options);
    const answers = [
      await logIn(service, key, from),
      await logIn(service, 'x', from),
      await me({ key, headers: from }),
      await me({ key: null, headers: { ...from, cookie } }),
      await me({ key: null, headers: { ...from, cookie } }),
      await logIn(service, key, from),
      await logIn(service, ADMIN_KEY, OWN),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429, 429, 201]);
  });
});
