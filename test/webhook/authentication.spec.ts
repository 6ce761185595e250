import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { WebhookService } from '../../src/webhook/webhook.service.js';
import { expectProblem, MASK, NO_ID } from '../support/api.js';
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
  const stored = async (id: string) => {
    const opened = service.get(WebhookService);
    return Reflect.get(opened, 'opened').find(null, id);
  };

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
      const answers = [
        await find(created.id),
        await service.call('GET', `/v1/webhook/list?user_id=${user}`),
        await patch(created.id, { name: 'x' }),
      ];
      for (const { text } of answers) {
        expect(text).not.toContain('s3cret');
        expect(text).toContain(MASK);
      }
    });

    it('tls, whose certificates are shown without what stands between them', async () => {
      const created = await made({ tls: { ...TLS, ca: `Authority\r\n${TLS.ca}\n\n  ${TLS.ca}the end` } });
      expect(created.tls).toEqual({ ...TLS, client_key: MASK, ca: TLS.ca + TLS.ca });
      expect((await stored(created.id)).tls.clientKey).toBe(TLS.client_key);
      const authority = await made({ tls: { ca: TLS.ca, client_key: null } });
      expect(authority.tls).toEqual({ client_certificate: null, client_key: null, ca: TLS.ca });
    });

    it('null where there is none', async () => {
      const { id } = await made({ authentication: null, tls: null });
      expect((await find(id)).body).toMatchObject({ authentication: null, tls: null });
    });
  });

  it('are stored only encrypted, and in the row of their webhook', async () => {
    const { id } = await made({ authentication: OAUTH2, tls: TLS });
    const other = await made({});
    const query = (sql: string, values: unknown[]) => service.app.get(DataSource).query(sql, values);
    const [row] = await query('SELECT * FROM webhook WHERE id = ?', [id]);
    expect(JSON.stringify(row)).not.toMatch(/s3cret|BEGIN|webhooks/);
    expect(row.sealed_authentication).toMatch(/^test\./);
    await query('UPDATE webhook SET sealed_authentication = ? WHERE id = ?', [
      row.sealed_authentication,
      other.id,
    ]);
    expect((await find(other.id)).body).toMatchObject({
      authentication: null,
      unreadable: ['authentication'],
    });
    await query('DELETE FROM webhook WHERE id = ?', [other.id]);
  });

  it('are part of the first answer to a call that is repeated', async () => {
    const options = { headers: { 'idempotency-key': user } };
    const body = webhookBody({ url: HTTPS, authentication: OAUTH2, tls: TLS, user_id: user });
    const first = await service.call('POST', '/v1/webhook', body, options);
    const again = await service.call('POST', '/v1/webhook', body, options);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
    const rows = await service.app.get(DataSource).query('SELECT * FROM webhook_idempotency');
    expect(JSON.stringify(rows)).not.toMatch(/s3cret|BEGIN/);
  });

  it('change the ETag with what is masked', async () => {
    const { id } = await made({ authentication: BASIC, tls: TLS });
    const tags = [(await find(id)).headers.get('etag')];
    for (const fields of [
      { authentication: { ...BASIC, password: 'other' } },
      { tls: { ...TLS, ...clientTls('other') } },
    ])
      tags.push((await patch(id, fields)).headers.get('etag'));
    expect(new Set(tags).size).toBe(3);
    expect((await find(id)).headers.get('etag')).toBe(tags[2]);
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

    it('are refused as masks that stand for nothing', async () => {
      const masks: [object, string][] = [
        [{ authentication: { ...BASIC, password: MASK } }, '/authentication/password'],
        [{ authentication: { ...BEARER, token: MASK } }, '/authentication/token'],
        [{ authentication: { ...OAUTH2, client_secret: MASK } }, '/authentication/client_secret'],
        [{ tls: { ...TLS, client_key: MASK } }, '/tls/client_key'],
      ];
      const { id } = await made({});
      const ofType = { basic: BEARER, bearer: OAUTH2, oauth2: BASIC };
      for (const [fields, pointer] of masks) {
        expectProblem(await create(fields), 400, 'validation_failed', [pointer]);
        expectProblem(await patch(id, fields), 400, 'validation_failed', [pointer]);
        const put = webhookBody({ url: HTTPS, user_id: user, uid: 'put', ...fields });
        expectProblem(await service.call('PUT', '/v1/webhook', put), 400, 'validation_failed', [pointer]);
        const { authentication } = fields as { authentication?: { type: keyof typeof ofType } };
        if (!authentication) continue;
        await patch(id, { authentication: ofType[authentication.type] });
        expectProblem(await patch(id, fields), 400, 'validation_failed', [pointer]);
        await patch(id, { authentication: null });
      }
      expectProblem(await create({ name: '', ...masks[0]?.[0] }), 400, 'validation_failed', [
        '/name',
        '/authentication/password',
      ]);
    });

    it('need the key that fits a new certificate', async () => {
      const { id } = await made({ tls: TLS });
      const { client_certificate } = clientTls('other');
      const answer = await patch(id, { tls: { client_certificate, client_key: MASK } });
      expectProblem(answer, 400, 'validation_failed', ['/tls/client_key']);
    });

    it('are for their owner alone', async () => {
      const { id } = await made({ authentication: BASIC });
      const key = await service.keyFor(newUser(), 'webhooks:write');
      for (const one of [id, NO_ID]) {
        const answer = await service.call('PATCH', '/v1/webhook', { id: one, authentication: null }, { key });
        expectProblem(answer, 404, 'not_found');
      }
      expect((await find(id)).body.authentication).not.toBeNull();
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
    const kept: [string, object, string[]][] = [
      ['basic', { authentication: BASIC }, ['/authentication/password']],
      ['bearer', { authentication: BEARER }, ['/authentication/token']],
      ['oauth2', { authentication: OAUTH2 }, ['/authentication/client_secret']],
      ['a client certificate', { tls: TLS }, ['/tls/client_key']],
      ['authorities', { tls: { ca: TLS.ca } }, ['/tls']],
      [
        'all of it',
        { authentication: BEARER, tls: TLS, headers: { 'X-Key': 'x' } },
        ['/headers/X-Key', '/authentication/token', '/tls/client_key'],
      ],
    ];

    it.each(kept)('have to be given anew: %s', async (_what, fields, pointers) => {
      const { id } = await made(fields);
      expectProblem(await patch(id, { url: OTHER }), 400, 'credentials_required', pointers);
      const shown = (await find(id)).body;
      const masked = { authentication: shown.authentication, headers: shown.headers };
      const named = pointers.filter((pointer) => pointer !== '/tls');
      const sent = 'authentication' in fields ? { ...masked } : {};
      if (named.length > 0)
        expectProblem(await patch(id, { url: OTHER, ...sent }), 400, 'credentials_required', pointers);
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
