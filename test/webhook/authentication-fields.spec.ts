import { beforeEach, describe, expect, it } from '@jest/globals';
import { DecryptedWebhooks } from '../../src/webhook/decrypted-webhooks.service.js';
import { expectProblem } from '../support/api.js';
import { BASIC, BEARER, HTTPS, OAUTH2, TLS } from '../support/authentication/credentials.js';
import { pem } from '../support/certs/pem.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

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

describe.each(databases)('the fields of authentication and TLS on $name', (kind) => {
  const service = useService(kind);
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = (fields: object) =>
    service.call('POST', '/v1/webhook', webhookBody({ user_id: user, url: HTTPS, ...fields }));
  const made = (fields: object) => createWebhook(service, { user_id: user, url: HTTPS, ...fields });
  const patch = (id: string, fields: object) => service.call('PATCH', '/v1/webhook', { id, ...fields });

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
    const url = 'http://127.0.0.1:49151/hooks';
    expectProblem(await create({ url, tls: TLS }), 400, 'validation_failed', ['/tls']);
    const { id } = await made({ tls: TLS });
    expectProblem(await patch(id, { url, tls: TLS }), 400, 'validation_failed', ['/tls']);
    expect(await patch(id, { url, tls: null })).toMatchObject({ status: 200 });
    expectProblem(await patch(id, { tls: TLS }), 400, 'validation_failed', ['/tls']);
  });
});

describe.each(databases)('a token endpoint inside the own network, on $name', (kind) => {
  const service = useService(kind, { ALLOW_PRIVATE_NETWORK: 'false', ALLOWED_NETWORKS: '127.0.0.2/32' });
  const url = 'http://127.0.0.2:49151/hooks';
  const endpoints = [
    'http://127.0.0.1:49151/token',
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
