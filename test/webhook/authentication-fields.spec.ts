import { beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookService } from '../../src/webhook/webhook.service.js';
import { expectProblem, MASK } from '../support/api.js';
import { BASIC, BEARER, HTTPS, OAUTH2, TLS } from '../support/authentication/credentials.js';
import { pem } from '../support/certs/pem.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

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
  /** What is stored, decrypted. */
  const stored = async (id: string) => {
    const opened = service.get(WebhookService);
    return Reflect.get(opened, 'opened').find(null, id);
  };

  describe('name every wrong field', () => {
    const wrong: [string, object, string[]][] = [
      ['no object', { authentication: 5 }, ['/authentication']],
      ['a list', { authentication: [], tls: [] }, ['/authentication', '/tls']],
      ['no type', { authentication: {} }, ['/authentication/type']],
      ['another type', { authentication: { type: 'digest' } }, ['/authentication/type']],
      [
        'nothing but the type',
        { authentication: { type: 'basic' } },
        ['/authentication/username', '/authentication/password'],
      ],
      [
        'fields of another type',
        { authentication: { ...BASIC, token: 'x', __proto__: undefined } },
        ['/authentication/token'],
      ],
      [
        'a colon in the user name',
        { authentication: { ...BASIC, username: 'a:b' } },
        ['/authentication/username'],
      ],
      ['an empty user name', { authentication: { ...BASIC, username: '' } }, ['/authentication/username']],
      ['a line break', { authentication: { ...BASIC, password: 'a\r\nb' } }, ['/authentication/password']],
      ['a token with a blank', { authentication: { ...BEARER, token: 'a b' } }, ['/authentication/token']],
      [
        'a token with a line break',
        { authentication: { ...BEARER, token: 'a\nb' } },
        ['/authentication/token'],
      ],
      ['a token beyond ASCII', { authentication: { ...BEARER, token: 'ä' } }, ['/authentication/token']],
      ['a long token', { authentication: { ...BEARER, token: 'x'.repeat(4097) } }, ['/authentication/token']],
      [
        'wrong fields of all kinds',
        {
          authentication: { type: 'oauth2', token_url: 'ftp://x', client_id: '', scope: 'a  b', audience: 5 },
          tls: { client_certificate: 'x', client_key: 'y', ca: 'z' },
        },
        [
          '/authentication/token_url',
          '/authentication/client_id',
          '/authentication/client_secret',
          '/authentication/scope',
          '/authentication/audience',
          '/tls/client_certificate',
          '/tls/client_key',
          '/tls/ca',
        ],
      ],
      [
        'credentials in the URL',
        { authentication: { ...OAUTH2, token_url: 'https://a:b@example.com/' } },
        ['/authentication/token_url'],
      ],
      ['an empty tls', { tls: {} }, ['/tls']],
      ['unknown fields', { tls: { ...TLS, passphrase: 'x' } }, ['/tls/passphrase']],
      ['a key without a certificate', { tls: { client_key: TLS.client_key } }, ['/tls/client_certificate']],
      [
        'a certificate without a key',
        { tls: { client_certificate: TLS.client_certificate } },
        ['/tls/client_key'],
      ],
      [
        'empty strings',
        { tls: { client_certificate: '', client_key: '', ca: '' } },
        ['/tls/client_certificate', '/tls/client_key', '/tls/ca'],
      ],
      [
        'the key of another certificate',
        { tls: { ...TLS, client_key: pem('other.key') } },
        ['/tls/client_key'],
      ],
      ['an encrypted key', { tls: { ...TLS, client_key: pem('encrypted.key') } }, ['/tls/client_key']],
      [
        'a certificate in place of the key',
        { tls: { ...TLS, client_key: TLS.client_certificate } },
        ['/tls/client_key'],
      ],
      [
        'certificates that have ended',
        {
          tls: {
            client_certificate: pem('expired.cert'),
            client_key: pem('expired.key'),
            ca: pem('expired.cert'),
          },
        },
        ['/tls/client_certificate', '/tls/ca'],
      ],
      [
        'a broken certificate behind a good one',
        { tls: { ...TLS, ca: `${TLS.ca}-----BEGIN CERTIFICATE-----\nAAAA\n` } },
        ['/tls/ca'],
      ],
      [
        'a weak key',
        { tls: { client_certificate: pem('weak.cert'), client_key: pem('weak.key') } },
        ['/tls/client_key'],
      ],
      ['a long key', { tls: { ...TLS, client_key: pem('long.key') } }, ['/tls/client_key']],
      ['a megabyte of it', { tls: { ca: '-----BEGIN CERTIFICATE-----\n'.repeat(5000) } }, ['/tls/ca']],
      [
        'blanks without end',
        { tls: { ca: `-----BEGIN CERTIFICATE-----${' '.repeat(16_000)}` } },
        ['/tls/ca'],
      ],
    ];

    it.each(wrong)('%s', async (_what, fields, pointers) => {
      expectProblem(await create(fields), 400, 'validation_failed', pointers);
      const { id } = await made({});
      expectProblem(await patch(id, fields), 400, 'validation_failed', pointers);
    });

    it('with a reason that helps', async () => {
      const reasonFor = async (tls: object) => (await create({ tls })).body.errors[0].message;
      expect(await reasonFor({ ...TLS, client_key: pem('encrypted.key') })).toMatch(/encrypted.*passphrase/);
      expect(await reasonFor({ ...TLS, ca: pem('expired.cert') })).toBe('has ended on 2020-01-02');
      expect(await reasonFor({ ...TLS, client_key: pem('other.key') })).toMatch(/not the key/);
      expect(await reasonFor({ ca: 'x' })).toMatch(/PEM/);
    });
  });

  it('fit into the database at their limits, also the answer to a call that is repeated', async () => {
    const authorities = TLS.ca.repeat(Math.floor((16 * 1024) / TLS.ca.length));
    const chain = `${TLS.client_certificate}${authorities}`.slice(0, 16 * 1024);
    const client_certificate = chain.slice(0, chain.lastIndexOf('-----BEGIN'));
    const tls = { ...TLS, client_certificate, ca: authorities };
    const authentication = {
      ...OAUTH2,
      client_secret: '"'.repeat(4096),
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
    expect((await stored(first.body.id)).authentication.clientSecret).toBe(authentication.client_secret);
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

  it('are taken and answered by services in camelCase', async () => {
    const webhooks = service.get(WebhookService);
    const created = await webhooks.create(user, {
      name: 'x',
      url: HTTPS,
      authentication: { type: 'oauth2', tokenUrl: OAUTH2.token_url, clientId: 'a', clientSecret: 'b' },
      tls: { clientCertificate: TLS.client_certificate, clientKey: TLS.client_key },
    });
    expect(created).toMatchObject({
      authentication: { type: 'oauth2', tokenUrl: OAUTH2.token_url, clientSecret: MASK, scope: null },
      tls: { clientCertificate: TLS.client_certificate, clientKey: MASK, ca: null },
    });
    const wrong = { id: created.id, tls: { clientKey: 'x' } };
    await expect(webhooks.update(user, wrong)).rejects.toMatchObject({
      errors: [{ pointer: '/tls/clientKey' }, { pointer: '/tls/clientCertificate' }],
    });
  });
});

describe.each(databases)('a token endpoint inside the own network, on $name', (kind) => {
  const service = useService(kind, { ALLOW_PRIVATE_NETWORK: 'false', ALLOWED_NETWORKS: '127.0.0.2/32' });
  const url = 'http://127.0.0.2:49151/hooks';

  it.each(['http://127.0.0.1:49151/token', 'http://169.254.169.254/token', 'https://localhost/token'])(
    'is refused when it is saved: %s',
    async (token_url) => {
      const pointers = ['/authentication/token_url'];
      const body = webhookBody({ url, authentication: { ...OAUTH2, token_url } });
      expectProblem(await service.call('POST', '/v1/webhook', body), 400, 'validation_failed', pointers);
      const { id } = await createWebhook(service, { url });
      const change = { id, authentication: { ...OAUTH2, token_url } };
      expectProblem(await service.call('PATCH', '/v1/webhook', change), 400, 'validation_failed', pointers);
    },
  );
});
