import { beforeEach, describe, expect, it } from '@jest/globals';
import { DecryptedWebhooks } from '../../src/webhook/decrypted-webhooks.service.js';
import { expectProblem, MASK } from '../support/api.js';
import { BASIC, BEARER, FULL_OAUTH2, HTTPS, OAUTH2, TLS } from '../support/authentication/credentials.js';
import { clientTls, pem } from '../support/certs/pem.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const OTHER = 'https://127.0.0.1:49152/hooks';
const { client_certificate, client_key } = TLS;
const BROKEN = '-----BEGIN CERTIFICATE-----\nAAAA\n';
const OAUTH2_FIELDS = ['/token_url', '/client_id', '/client_secret', '/scope', '/audience'];
const TLS_FIELDS = ['/client_certificate', '/client_key', '/ca'];

const pairOf = (name: string) => ({
  client_certificate: pem(`${name}.cert`),
  client_key: pem(`${name}.key`),
});

type Wrong = [what: string, value: unknown, fields: string[]];
const AUTHENTICATIONS: Wrong[] = [
  ['no object', 5, ['']],
  ['a list', [], ['']],
  ['no type', {}, ['/type']],
  ['another type', { type: 'digest' }, ['/type']],
  ['nothing but the type', { type: 'basic' }, ['/username', '/password']],
  ['fields of another type', { ...BASIC, token: 'x' }, ['/token']],
  ['a colon in the user name', { ...BASIC, username: 'a:b' }, ['/username']],
  ['an empty user name', { ...BASIC, username: '' }, ['/username']],
  ['a line break', { ...BASIC, password: 'a\r\nb' }, ['/password']],
  ['a token with a blank', { ...BEARER, token: 'a b' }, ['/token']],
  ['a token with a line break', { ...BEARER, token: 'a\nb' }, ['/token']],
  ['a token beyond ASCII', { ...BEARER, token: 'ä' }, ['/token']],
  ['a long token', { ...BEARER, token: 'x'.repeat(4097) }, ['/token']],
  [
    'nothing right',
    { type: 'oauth2', token_url: 'ftp://x', client_id: '', scope: 'a  b', audience: 5 },
    OAUTH2_FIELDS,
  ],
  ['credentials in the URL', { ...OAUTH2, token_url: 'https://a:b@example.com/' }, ['/token_url']],
];
const TLS_SETTINGS: Wrong[] = [
  ['a list', [], ['']],
  ['nothing', {}, ['']],
  ['unknown fields', { ...TLS, passphrase: 'x' }, ['/passphrase']],
  ['a key without a certificate', { client_key }, ['/client_certificate']],
  ['a certificate without a key', { client_certificate }, ['/client_key']],
  ['empty strings', { client_certificate: '', client_key: '', ca: '' }, TLS_FIELDS],
  ['no PEM', { client_certificate: 'x', client_key: 'y', ca: 'z' }, TLS_FIELDS],
  ['the key of another certificate', { ...TLS, client_key: pem('other.key') }, ['/client_key']],
  ['an encrypted key', { ...TLS, client_key: pem('encrypted.key') }, ['/client_key']],
  ['a certificate in place of the key', { ...TLS, client_key: client_certificate }, ['/client_key']],
  ['a certificate that has ended', pairOf('expired'), ['/client_certificate']],
  ['an authority that has ended', { ...TLS, ca: pem('expired.cert') }, ['/ca']],
  ['a broken certificate behind a good one', { ...TLS, ca: TLS.ca + BROKEN }, ['/ca']],
  ['a weak key', pairOf('weak'), ['/client_key']],
  ['a long key', { ...TLS, client_key: pem('long.key') }, ['/client_key']],
  ['a megabyte of it', { ca: '-----BEGIN CERTIFICATE-----\n'.repeat(5000) }, ['/ca']],
  ['blanks without end', { ca: `-----BEGIN CERTIFICATE-----${' '.repeat(16_000)}` }, ['/ca']],
];

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
      expect(await move('http://127.0.0.1:31151/other', MASK)).toMatchObject({ status: 200 });
      expect(await move(elsewhere, 's3cret-new')).toMatchObject({ status: 200 });
    });
  });

  describe.each<[string, Wrong[]]>([
    ['authentication', AUTHENTICATIONS],
    ['tls', TLS_SETTINGS],
  ])('name what is wrong in %s', (field, rows) => {
    it.each(rows)('%s', async (_what, value, fields) => {
      const pointers = fields.map((name) => `/${field}${name}`);
      expectProblem(await create({ [field]: value }), 400, 'validation_failed', pointers);
      const { id } = await made({});
      expectProblem(await patch(id, { [field]: value }), 400, 'validation_failed', pointers);
    });
  });

  it('say why, and name what is wrong in both', async () => {
    const reasonFor = async (tls: object) => (await create({ tls })).body.errors[0].message;
    expect(await reasonFor({ ...TLS, client_key: pem('encrypted.key') })).toMatch(/encrypted.*passphrase/);
    expect(await reasonFor({ ...TLS, ca: pem('expired.cert') })).toBe('has ended on 2020-01-02');
    expect(await reasonFor({ ...TLS, client_key: pem('other.key') })).toMatch(/not the key/);
    expect(await reasonFor({ ca: 'x' })).toMatch(/PEM/);
    const both = await create({ authentication: { ...BEARER, token: '' }, tls: { ca: 'x' } });
    expectProblem(both, 400, 'validation_failed', ['/authentication/token', '/tls/ca']);
  });

  it('fit into the database at their limits, also the answer to a call that is repeated', async () => {
    const authorities = TLS.ca.repeat(Math.floor((16 * 1024) / TLS.ca.length));
    const chain = `${TLS.client_certificate}${authorities}`.slice(0, 16 * 1024);
    const client_certificate = chain.slice(0, chain.lastIndexOf('-----BEGIN'));
    const tls = { ...TLS, client_certificate, ca: authorities };
    const authentication = {
      ...OAUTH2,
      client_secret: 's3cret'.padEnd(4096, '"'),
      audience: '"'.repeat(2048),
      scope: 'x '.repeat(1000).trim(),
    };
    const headers = { 'X-Long': '"'.repeat(8000) };
    const options = { headers: { 'idempotency-key': `${user} long` } };
    const body = webhookBody({ url: HTTPS, user_id: user, tls, authentication, headers });
    const first = await service.call('POST', '/v1/webhook', body, options);
    expect(first).toMatchObject({ status: 201, body: { tls: { client_certificate, ca: authorities } } });
    const again = await service.call('POST', '/v1/webhook', body, options);
    expect(again.body).toEqual(first.body);
    const stored = await service.get(DecryptedWebhooks).find(null, first.body.id);
    expect(stored.authentication).toMatchObject({ clientSecret: authentication.client_secret });
    const rows = await service.query('SELECT * FROM webhook_idempotency');
    expect(JSON.stringify(rows)).not.toMatch(/s3cret|BEGIN/);
  });

  it('refuse an Authorization header of the webhook beside them, in any spelling', async () => {
    const headers = { AUTHORIZATION: 'Bearer x' };
    const pointers = ['/headers/AUTHORIZATION'];
    expectProblem(await create({ headers, authentication: BASIC }), 400, 'validation_failed', pointers);
    const one = await made({ headers });
    expectProblem(await patch(one.id, { authentication: BASIC }), 400, 'validation_failed', pointers);
    expect(await patch(one.id, { authentication: BASIC, headers: {} })).toMatchObject({ status: 200 });
    expectProblem(await patch(one.id, { headers }), 400, 'validation_failed', pointers);
    expect(await patch(one.id, { headers, authentication: null })).toMatchObject({ status: 200 });
  });

  it('refuse tls for a URL without it', async () => {
    const url = 'http://127.0.0.1:31151/hooks';
    expectProblem(await create({ url, tls: TLS }), 400, 'validation_failed', ['/tls']);
    const { id } = await made({ tls: TLS });
    expectProblem(await patch(id, { url, tls: TLS }), 400, 'validation_failed', ['/tls']);
    expect(await patch(id, { url, tls: null })).toMatchObject({ status: 200 });
    expectProblem(await patch(id, { tls: TLS }), 400, 'validation_failed', ['/tls']);
  });
});

describe.each(databases)('a token endpoint inside the own network, on $name', (kind) => {
  const service = useService(kind, { ALLOW_PRIVATE_NETWORK: 'false', ALLOWED_NETWORKS: '127.0.0.2/32' });
  const url = 'http://127.0.0.2:31151/hooks';
  const endpoints = [
    'http://127.0.0.1:31151/token',
    'http://169.254.169.254/token',
    'https://localhost/token',
  ];

  it.each(endpoints)('is refused when it is saved: %s', async (token_url) => {
    const authentication = { ...OAUTH2, token_url };
    const { id } = await createWebhook(service, { url });
    const created = await service.call('POST', '/v1/webhook', webhookBody({ url, authentication }));
    const updated = await service.call('PATCH', '/v1/webhook', { id, authentication });
    for (const answer of [created, updated])
      expectProblem(answer, 400, 'validation_failed', ['/authentication/token_url']);
  });
});
