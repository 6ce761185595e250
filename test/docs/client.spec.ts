import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  createWebhookClient,
  type Result,
  type WebhookClient,
  type WebhookClientOptions,
} from '../../client/index.js';
import { NO_ID } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser, record } from '../support/scene.js';
import { ADMIN_KEY } from '../support/service.js';
import { webhookBody } from '../support/webhook.js';

/** @throws if the result is a problem. */
function dataOf<D>({ data, error }: Result<D>): D {
  if (error) throw new Error(JSON.stringify(error));
  return data;
}

describe('the client, with the service,', () => {
  const service = useService(SQLITE);
  let client: WebhookClient;
  const clientWith = (apiKey: string) => createWebhookClient({ baseUrl: service.url, apiKey });
  beforeAll(() => {
    client = clientWith(ADMIN_KEY);
  });
  const create = async (fields: Partial<ReturnType<typeof webhookBody>> & { user_id?: string } = {}) =>
    dataOf(await client.POST('/v1/webhook', { body: { ...webhookBody(), ...fields } }));

  it('creates, finds and deletes', async () => {
    const { secret, ...webhook } = await create();
    const { id } = webhook;
    expect(secret).toMatch(/^whsec_/);
    expect(dataOf(await client.GET('/v1/webhook', { query: { id } }))).toEqual(webhook);
    expect(dataOf(await client.DELETE('/v1/webhook', { query: { id } }))).toEqual({ id, deleted: true });
    const { data, error, response } = await client.GET('/v1/webhook', { query: { id } });
    expect([data, error?.code, error?.status, response.status]).toEqual([undefined, 'not_found', 404, 404]);
  });

  it('changes only what has not changed since it was seen, and learns that it has not', async () => {
    const { id } = await create();
    const { response } = await client.GET('/v1/webhook', { query: { id } });
    const etag = response.headers.get('etag') ?? '';
    const again = await client.GET('/v1/webhook', { query: { id }, headers: { 'If-None-Match': etag } });
    expect(again.data).toBeUndefined();
    expect(again.error).toMatchObject({ status: 304, code: 'not_modified' });
    const change = { body: { id, name: 'mine' }, headers: { 'If-Match': etag } };
    expect(dataOf(await client.PATCH('/v1/webhook', change)).name).toBe('mine');
    const refused = await client.PATCH('/v1/webhook', change);
    expect(refused.error).toMatchObject({ status: 412, code: 'precondition_failed' });
  });

  it('lists page by page, by what is escaped in the address', async () => {
    const name = 'A & b=c?#%+ ü';
    const ids = [];
    for (const _ of [1, 2, 3]) ids.push((await create({ name })).id);
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const page = dataOf(await client.GET('/v1/webhook/list', { query: { name, limit: '2', cursor } }));
      pages.push(page.data.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(pages).toEqual([ids.slice(1).reverse(), ids.slice(0, 1)]);
  });

  it('reports a notification once under one key', async () => {
    const user_id = newUser();
    const body = { event_kind: 'RECORD_FINISHED', user_id, record };
    const request = { body, headers: { 'Idempotency-Key': user_id } };
    const [first, second] = [
      await client.POST('/v1/notification', request),
      await client.POST('/v1/notification', request),
    ];
    expect(dataOf(second)).toEqual(dataOf(first));
    expect(second.response.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is told every field that is wrong, and that its key is', async () => {
    const body = { name: '', url: 'ftp://example.com', events: ['NO_SUCH_KIND'] };
    const { error } = await client.POST('/v1/webhook', { body });
    expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(error?.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/events/0', '/name', '/url']);
    const unknown = await clientWith(`whk_${'B'.repeat(43)}`).GET('/v1/webhook/list');
    expect(unknown.error).toMatchObject({ status: 401, code: 'unauthenticated' });
  });
});

describe('the client', () => {
  /** A client whose requests all get this answer; `sent` records them. */
  function answered(answer: () => Response, options: Partial<WebhookClientOptions> = {}) {
    const sent: { url: string; init: RequestInit }[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push({ url, init });
      return answer();
    };
    return { sent, client: createWebhookClient({ baseUrl: 'https://example.com', fetch, ...options }) };
  }

  const ok = () => Response.json({ data: [], next_cursor: null });

  it.each([
    ['https://example.com', 'https://example.com/v1/webhook/list'],
    ['https://example.com/', 'https://example.com/v1/webhook/list'],
    ['https://example.com/hooks/', 'https://example.com/hooks/v1/webhook/list'],
    ['', '/v1/webhook/list'],
  ])('finds the service at %j', async (baseUrl, url) => {
    const { client, sent } = answered(ok, { baseUrl });
    await client.GET('/v1/webhook/list');
    expect(sent.map((request) => request.url)).toEqual([url]);
  });

  it.each([
    [{ apiKey: 'whk_x' }, { Authorization: 'Bearer whk_x' }],
    [{}, {}],
  ])('sends the key if it has one, and no undefined values: %j', async (options, headers) => {
    const { client, sent } = answered(ok, options);
    await client.GET('/v1/webhook', { query: { id: 'a b' }, headers: { 'If-None-Match': undefined } });
    await client.GET('/v1/webhook/list', { query: { name: undefined } });
    const init = { method: 'GET', headers, redirect: 'manual' };
    expect(sent).toEqual([
      { url: 'https://example.com/v1/webhook?id=a+b', init },
      { url: 'https://example.com/v1/webhook/list', init },
    ]);
  });

  it.each([
    ['a page of a proxy', () => new Response('<h1>Bad Gateway</h1>', { status: 502 }), 502],
    ['JSON that is no problem', () => Response.json({ message: 'no' }, { status: 500 }), 500],
    ['JSON null', () => Response.json(null, { status: 503 }), 503],
    ['nothing', () => new Response(null, { status: 204 }), 204],
    ['a page in place of data', () => new Response('<h1>Log in</h1>'), 200],
    ['a redirect', () => Response.redirect('https://example.org/'), 302],
  ])('turns %s into a problem', async (_name, answer, status) => {
    const { data, error, response } = await answered(answer).client.GET('/v1/webhook/list');
    expect(data).toBeUndefined();
    expect(error).toEqual({
      type: 'about:blank',
      title: expect.stringMatching(/\w/),
      status,
      detail: expect.any(String),
      instance: '/v1/webhook/list',
      code: 'unexpected_answer',
    });
    expect(response.status).toBe(status);
  });

  it('rejects as fetch does when nothing answers, and when its signal is aborted', async () => {
    const client = createWebhookClient({ baseUrl: 'http://127.0.0.1:1' });
    await expect(client.GET('/v1/webhook/list')).rejects.toMatchObject({ name: 'TypeError' });
    const aborted = client.GET('/v1/webhook/list', { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('takes only requests that the document describes, and records of any type with the required fields', () => {
    // The type check ("npm run lint:types") verifies these expectations; this code never runs.
    const notification = { event_kind: 'RECORD_FINISHED', user_id: 'acme', record };
    const wrong = async (client: WebhookClient) => {
      // @ts-expect-error an unknown path
      await client.GET('/v1/webhooks');
      // @ts-expect-error a method that the path does not have
      await client.PATCH('/v1/notification', { body: {} });
      // @ts-expect-error a missing request
      await client.GET('/v1/webhook/trigger');
      // @ts-expect-error an unknown query parameter
      await client.GET('/v1/webhook/list', { query: { page: '2' } });
      // @ts-expect-error an unknown header
      await client.POST('/v1/notification', { headers: { 'Idempotence-Key': 'x' }, body: notification });
      // @ts-expect-error an unknown field
      await client.POST('/v1/webhook', { body: { name: 'x', url: 'https://example.com', evnts: [] } });
      // @ts-expect-error a field of the wrong type
      await client.POST('/v1/webhook', { body: { name: 'x', url: 'https://example.com', enabled: 'yes' } });
      // @ts-expect-error a missing field
      await client.POST('/v1/webhook', { body: { name: 'x' } });
      // @ts-expect-error a value outside the enum
      await client.GET('/v1/webhook/trigger/list', { query: { status: 'DONE' } });
      const { data, error } = await client.GET('/v1/webhook', { query: { id: NO_ID } });
      // @ts-expect-error data used before the error is checked
      const early = data.name;
      if (error) return [error.code, early];
      // @ts-expect-error a field that only a new webhook has
      return data.secret;
    };
    interface PatientRecord {
      id: string;
      born: Date;
      analysis: { id: string; status: string }[];
    }
    const right = (client: WebhookClient, patient: PatientRecord) =>
      client.POST('/v1/notification', { body: { ...notification, record: patient } });
    expect([wrong, right]).toHaveLength(2);
  });

  it('imports nothing but its types, so a browser can load it', () => {
    const read = (name: string) => readFileSync(new URL(`../../client/${name}`, import.meta.url), 'utf8');
    const sources = read('index.ts') + read('schema.ts');
    const modules = [...sources.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name);
    expect(new Set(modules)).toEqual(new Set(['./schema.js']));
  });
});
