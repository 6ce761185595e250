import { beforeEach, describe, expect, it } from '@jest/globals';
import { DecryptedWebhooks } from '../../src/webhook/decrypted-webhooks.service.js';
import { expectProblem, MASK } from '../support/api.js';
import { BASIC, BEARER, FULL_OAUTH2, HTTPS, OAUTH2, TLS } from '../support/authentication/credentials.js';
import { clientTls } from '../support/certs/pem.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const OTHER = 'https://127.0.0.1:49152/hooks';

describe.each(databases)('authentication and TLS of a webhook on $name', (kind) => {
  const service = useService(kind);
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = (fields: object) =>
    service.call('POST', '/v1/webhook', webhookBody({ user_id: user, url: HTTPS, ...fields }));
  const made = (fields: object) => createWebhook(service, { user_id: user, url: HTTPS, ...fields });
  const patch = (id: string, fields: object) => service.call('PATCH', '/v1/webhook', { id, ...fields });
  const find = (id: string) => service.call('GET', `/v1/webhook?id=${id}`);
  /** What is stored, decrypted. */
  const stored = (id: string) => service.get(DecryptedWebhooks).find(null, id);

  describe('are answered masked', () => {
    it.each([
      ['basic', BASIC, { ...BASIC, password: MASK }],
      ['an empty password', { ...BASIC, password: '' }, { ...BASIC, password: MASK }],
      ['bearer', BEARER, { ...BEARER, token: MASK }],
      ['oauth2', OAUTH2, { ...OAUTH2, client_secret: MASK, scope: null, audience: null }],
      ['oauth2 with all fields', FULL_OAUTH2, { ...FULL_OAUTH2, client_secret: MASK }],
    ])('%s', async (_what, authentication, shown) => {
      const created = await made({ authentication });
      expect(created.authentication).toEqual(shown);
      const list = await service.call('GET', `/v1/webhook/list?user_id=${user}`);
      for (const { text } of [await find(created.id), list, await patch(created.id, { name: 'x' })]) {
        expect(text).not.toContain('s3cret');
        expect(text).toContain(MASK);
      }
    });

    it('tls, whose certificates are shown without what stands between them', async () => {
      const created = await made({ tls: { ...TLS, ca: `Authority\r\n${TLS.ca}\n\n  ${TLS.ca}the end` } });
      expect(created.tls).toEqual({ ...TLS, client_key: MASK, ca: TLS.ca + TLS.ca });
      expect((await stored(created.id)).tls?.clientKey).toBe(TLS.client_key);
      const authority = await made({ tls: { ca: TLS.ca, client_key: null } });
      expect(authority.tls).toEqual({ client_certificate: null, client_key: null, ca: TLS.ca });
    });
  });

  it('are stored only encrypted, and in the row of their webhook', async () => {
    const { id } = await made({ authentication: OAUTH2, tls: TLS });
    const other = await made({});
    const [row] = await service.query('SELECT * FROM webhook WHERE id = ?', [id]);
    expect(JSON.stringify(row)).not.toMatch(/s3cret|BEGIN|webhooks/);
    expect(row.sealed_authentication).toMatch(/^test\./);
    const sql = 'UPDATE webhook SET sealed_authentication = ? WHERE id = ?';
    await service.query(sql, [row.sealed_authentication, other.id]);
    const unread = { authentication: null, unreadable: ['authentication'] };
    expect((await find(other.id)).body).toMatchObject(unread);
    await service.query('DELETE FROM webhook WHERE id = ?', [other.id]);
  });

  describe('in an update', () => {
    it('stay if they are left out, are kept by their masks, and go with null', async () => {
      const { id } = await made({ authentication: FULL_OAUTH2, tls: TLS });
      const before = await stored(id);
      await patch(id, { name: 'x' });
      const shown = (await find(id)).body;
      const answer = await patch(id, { authentication: shown.authentication, tls: shown.tls });
      expect(answer).toMatchObject({ status: 200, body: { authentication: shown.authentication } });
      const after = await stored(id);
      expect(after).toMatchObject({ authentication: before.authentication, tls: before.tls });
      const { scope: _, ...less } = shown.authentication;
      await patch(id, { authentication: { ...less, client_id: 'new' }, tls: { ca: TLS.ca } });
      expect(await stored(id)).toMatchObject({
        authentication: { clientId: 'new', clientSecret: 's3cret-client', scope: null },
        tls: { clientCertificate: null, clientKey: null, ca: TLS.ca },
      });
      await patch(id, { authentication: null, tls: null });
      expect((await find(id)).body).toMatchObject({ authentication: null, tls: null });
    });

    it.each([
      ['basic', { ...BASIC, password: MASK }, '/authentication/password', BEARER],
      ['bearer', { ...BEARER, token: MASK }, '/authentication/token', OAUTH2],
      ['oauth2', { ...OAUTH2, client_secret: MASK }, '/authentication/client_secret', BASIC],
      ['tls', { ...TLS, client_key: MASK }, '/tls/client_key', null],
    ])('are refused as masks that stand for nothing: %s', async (what, value, pointer, other) => {
      const fields = { [what === 'tls' ? 'tls' : 'authentication']: value };
      const { id } = await made({});
      const ofAnother = await made({ authentication: other });
      const body = webhookBody({ url: HTTPS, user_id: user, uid: 'put', ...fields });
      const put = await service.call('PUT', '/v1/webhook', body);
      for (const answer of [
        await create(fields),
        await patch(id, fields),
        await patch(ofAnother.id, fields),
        put,
      ])
        expectProblem(answer, 400, 'validation_failed', [pointer]);
      expectProblem(await create({ name: '', ...fields }), 400, 'validation_failed', ['/name', pointer]);
    });

    it('need the key that fits a new certificate', async () => {
      const { id } = await made({ tls: TLS });
      const { client_certificate } = clientTls('other');
      const answer = await patch(id, { tls: { client_certificate, client_key: MASK } });
      expectProblem(answer, 400, 'validation_failed', ['/tls/client_key']);
    });
  });

  it('are made so by PUT: what it leaves out is gone', async () => {
    const put = (fields: object) =>
      service.call('PUT', '/v1/webhook', webhookBody({ url: HTTPS, user_id: user, uid: 'crm', ...fields }));
    const first = await put({ authentication: BASIC, tls: TLS });
    expect(first.status).toBe(201);
    const { authentication, tls } = first.body;
    const same = await put({ authentication, tls });
    expect(same).toMatchObject({ status: 200, body: { updated_at: first.body.updated_at } });
    const less = await put({ tls: { ca: TLS.ca } });
    expect(less.body).toMatchObject({ authentication: null, tls: { client_certificate: null } });
    expect((await put({})).body).toMatchObject({ authentication: null, tls: null });
  });

  describe('for another origin', () => {
    const headers = { 'X-Key': 'x' };
    const ofAll = ['/headers/X-Key', '/authentication/token', '/tls/client_key'];

    it.each<[string, object, string[]]>([
      ['basic', { authentication: BASIC }, ['/authentication/password']],
      ['bearer', { authentication: BEARER }, ['/authentication/token']],
      ['oauth2', { authentication: OAUTH2 }, ['/authentication/client_secret']],
      ['a client certificate', { tls: TLS }, ['/tls/client_key']],
      ['authorities', { tls: { ca: TLS.ca } }, ['/tls']],
      ['all of it', { authentication: BEARER, tls: TLS, headers }, ofAll],
    ])('have to be given anew: %s', async (_what, fields, pointers) => {
      const { id } = await made(fields);
      const shown = (await find(id)).body;
      const masked = { authentication: shown.authentication, headers: shown.headers };
      for (const change of [{}, masked])
        expectProblem(await patch(id, { url: OTHER, ...change }), 400, 'credentials_required', pointers);
      expect((await find(id)).body.url).toBe(HTTPS);
      expect(await patch(id, { url: `${HTTPS}/same/origin` })).toMatchObject({ status: 200 });
      expect(await patch(id, { url: OTHER, ...fields })).toMatchObject({ status: 200 });
      const removed = { authentication: null, tls: null, headers: {} };
      expect(await patch(id, { url: HTTPS, ...removed })).toMatchObject({ status: 200 });
    });

    it('of the token endpoint, the client secret has to be given anew', async () => {
      const { id } = await made({ authentication: OAUTH2 });
      const move = (token_url: string, client_secret: string) =>
        patch(id, { authentication: { ...OAUTH2, token_url, client_secret } });
      const elsewhere = 'http://127.0.0.1:49152/token';
      const pointers = ['/authentication/client_secret'];
      expectProblem(await move(elsewhere, MASK), 400, 'credentials_required', pointers);
      expect(await move('http://127.0.0.1:49151/other', MASK)).toMatchObject({ status: 200 });
      expect(await move(elsewhere, 's3cret-new')).toMatchObject({ status: 200 });
    });
  });
});
