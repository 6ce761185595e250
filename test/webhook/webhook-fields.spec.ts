import { describe, expect, it } from '@jest/globals';
import { expectProblem, MASK } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const LONE = '\ud800';
const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 255).toString('base64')}`;
const headersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, '']));
/** Headers whose names and values have this many bytes in all. */
const heavy = (bytes: number) => ({ 'X-A': 'a'.repeat(4093), 'X-B': 'b'.repeat(bytes - 4099) });
const words = (text: string) => text.trim().split(/\s+/);

const CONTROLS = ['a\nb', 'a\u0000b', 'a\u007fb', 'a\u0085b'];
const NAMES = ['x', 'Überweisung 支払い', '👩‍👩‍👧', '🦄'.repeat(128), ' x ', "'; DROP TABLE x; --"];
const NO_NAMES = ['', 'x'.repeat(129), '🦄'.repeat(129), null, 7, {}, LONE, `x${LONE}y`, ...CONTROLS];
const TEXTS = ['', null, 'x'.repeat(1024), '🦄'.repeat(1024), 'a\r\n\tb'];
const NO_TEXTS = ['x'.repeat(1025), '🦄'.repeat(1025), 7, 'a\u0000b', 'a\u001bb', LONE];

const URLS = words(`
  http://127.0.0.1/ https://127.0.0.1:443/a?b=c http://127.0.0.1:1024 https://a.example./
  http://127.0.0.1/${'a'.repeat(2048 - 17)} https://${'a'.repeat(63)}.example/ https://${'a.'.repeat(124)}tests/
`);
const NO_URL_TEXTS = ['', null, 7, 'http://127.0.0.1/a b', 'http://127.0.0.1/\n', `http://a.example/${LONE}`];
/** What else is wrong in an address is said in src/network/address/address-policy.spec.ts. */
const NO_URLS = words(`
  x ftp://127.0.0.1/ http:// http://user@127.0.0.1/ http://127.0.0.1:70000/
  http://127.0.0.1/${'a'.repeat(2049 - 17)} https://${'a'.repeat(64)}.example/ https://${'a.'.repeat(125)}test/
  https://a..b.example/ https://.a.example/ https://a.example../
`);
const SECRETS = [secretOf(24), secretOf(64)];
/** The rest is said in src/platform/secret/signing-secret.spec.ts. */
const NO_SECRETS = ['', secretOf(23), secretOf(65), null, 7];
const HEADERS = [{}, headersOf(20), heavy(8192), { "!#$%&'*+-.^_`|~9aZ": ' !~', constructor: 'x' }];
const USERS = ['x', 'x'.repeat(128), '🦄'.repeat(128)];
const NO_USERS = ['', 'x'.repeat(129), null, 7, ' x', 'x ', 'a\nb', LONE];

const RULES: [field: string, valid: unknown[], invalid: unknown[]][] = [
  ['name', NAMES, NO_NAMES],
  ['description', TEXTS, NO_TEXTS],
  ['enabled', [true, false], ['true', 1, 0, null]],
  ['url', URLS, [...NO_URLS, ...NO_URL_TEXTS]],
  ['secret', SECRETS, NO_SECRETS],
  ['headers', HEADERS, [headersOf(21), heavy(8193), [], 'x', null, 7]],
  ['events', [[]], ['RECORD_FINISHED', {}, null]],
  ['user_id', USERS, NO_USERS],
];

const NO_KINDS = ['NO_SUCH_KIND', 'WEBHOOK_TEST', 'record_finished', 7, null, {}];
const NO_EVENTS = [
  { kind: 'NO_SUCH_KIND' },
  { kind: 'RECORD_FINISHED', event_kind: 'STATUS_CHANGED' },
  { kind: 'RECORD_FINISHED', enabled: 1 },
];

const RESERVED = words(`
  Host Content-Type content-length CONTENT-ENCODING Transfer-Encoding Connection Keep-Alive TE Trailer Upgrade Expect
  Proxy-Authorization proxy-connection User-Agent Set-Cookie webhook-id WEBHOOK-ANYTHING traceparent TraceParent
  content_type Transfer_Encoding KEEP_ALIVE proxy_authorization User_Agent set_cookie Webhook_Signature
`);
const NO_HEADER_NAMES = ['', 'a b', 'a:b', 'a\r\nb', 'é', 'a\u0000', '(x)', 'a/b', '~ ', '__proto__'];
const NO_HEADER_VALUES = ['a\rb', 'a\r\nX-Evil: 1', 'é', '🦄', '\t', LONE, 7, null, ['x'], ...CONTROLS];

describe.each(databases)('fields of a webhook on $name', (kind) => {
  const service = useService(kind, { WEBHOOKS_PER_USER: '1000' });

  const create = (fields: object) => service.call('POST', '/v1/webhook', webhookBody(fields));

  it.each(RULES)(
    '%s is returned as it was given, or refused, when created and updated',
    async (field, valid, invalid) => {
      const isChangeable = !['secret', 'user_id'].includes(field);
      const { id } = await createWebhook(service);
      const update = (value: unknown) => service.call('PATCH', '/v1/webhook', { id, [field]: value });
      for (const value of valid) {
        const created = await createWebhook(service, { [field]: value });
        expect(created[field]).toEqual(value);
        if (field === 'secret') continue;
        const found = await service.call('GET', `/v1/webhook?id=${created.id}`);
        expect(found.body[field]).toEqual(value);
        if (isChangeable)
          expect(await update(value)).toMatchObject({ status: 200, body: { [field]: value } });
      }
      for (const value of invalid) {
        expectProblem(await create({ [field]: value }), 400, 'validation_failed', [`/${field}`]);
        if (isChangeable) expectProblem(await update(value), 400, 'validation_failed', [`/${field}`]);
      }
    },
  );

  it('refuses invalid events', async () => {
    for (const event of [...NO_KINDS, ...NO_EVENTS])
      expectProblem(await create({ events: [event] }), 400, 'validation_failed', ['/events/0']);
    const withId = await create({ events: [{ kind: 'RECORD_FINISHED', id: 'x' }] });
    expectProblem(withId, 400, 'validation_failed', ['/events/0/id']);
    const twice = await create({ events: ['RECORD_FINISHED', { event_kind: 'RECORD_FINISHED' }] });
    expectProblem(twice, 400, 'validation_failed', ['/events/1']);
  });

  it.each(RESERVED)('does not let a webhook set %s', async (name) => {
    const answer = await create({ headers: { [name]: 'x' } });
    expectProblem(answer, 400, 'validation_failed', [`/headers/${name}`]);
    expect(answer.body.errors[0].message).toContain(name);
  });

  it.each(NO_HEADER_NAMES)('refuses %j as a header name', async (name) => {
    const pointer = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    expectProblem(await create({ headers: { [name]: 'x' } }), 400, 'validation_failed', [pointer]);
  });

  it.each(NO_HEADER_VALUES)('refuses %j as a header value', async (value) => {
    expectProblem(await create({ headers: { 'X-A': value } }), 400, 'validation_failed', ['/headers/X-A']);
  });

  it('refuses duplicate headers, even if they differ in case or have _ for -', async () => {
    const answer = await create({ headers: { 'X-Team': '1', 'x-team': '2', 'X-TEAM': '1', x_team: '1' } });
    const pointers = ['/headers/x-team', '/headers/X-TEAM', '/headers/x_team'];
    expectProblem(answer, 400, 'validation_failed', pointers);
  });

  it('names all invalid fields at once', async () => {
    const answer = await create({
      name: '',
      url: 'x',
      enabled: 1,
      description: 7,
      headers: { Host: 'x', 'X-A': '\n', Authorization: MASK },
      events: ['NOPE', 'RECORD_FINISHED', 7],
      secret: 'x',
      user_id: '',
      unknown: 1,
      'a/b~c': 1,
    });
    const pointers = words(`
      /name /url /enabled /description /headers/Host /headers/X-A /headers/Authorization /events/0 /events/2
      /secret /user_id /unknown /a~1b~0c
    `);
    expectProblem(answer, 400, 'validation_failed', pointers);
  });
});
