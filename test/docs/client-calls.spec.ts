import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { createWebhookClient, type WebhookClient } from '../../client/index.js';
import { NO_ID } from '../support/api.js';
import { record } from '../support/scene.js';

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string) => readFileSync(pathOf(path), 'utf8');

describe('the client', () => {
  interface Sent {
    url: string;
    init: RequestInit;
  }

  /** A client whose requests all get this response; `sent` records them. */
  function answered(answer: () => Response, baseUrl = 'https://example.com') {
    const sent: Sent[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      sent.push({ url, init });
      return answer();
    };
    return { sent, client: createWebhookClient({ baseUrl, apiKey: 'whk_x', fetch }) };
  }

  const ok = () => Response.json({ data: [], next_cursor: null });

  it.each([
    ['https://example.com', 'https://example.com/v1/webhook/list'],
    ['https://example.com/', 'https://example.com/v1/webhook/list'],
    ['https://example.com/hooks/', 'https://example.com/hooks/v1/webhook/list'],
    ['', '/v1/webhook/list'],
  ])('finds the service at %j', async (baseUrl, url) => {
    const { client, sent } = answered(ok, baseUrl);
    await client.GET('/v1/webhook/list');
    expect(sent.map((request) => request.url)).toEqual([url]);
  });

  it('sends no key where it has none', async () => {
    const sent: RequestInit[] = [];
    const client = createWebhookClient({
      baseUrl: '',
      fetch: async (_url, init) => {
        sent.push(init);
        return ok();
      },
    });
    await client.GET('/v1/me');
    expect(sent[0]?.headers).toEqual({});
  });

  it('sends the key, and no undefined values', async () => {
    const { client, sent } = answered(ok);
    const headers = { 'If-None-Match': undefined };
    await client.GET('/v1/webhook', { query: { id: 'a b' }, headers });
    await client.GET('/v1/webhook/list', { query: { name: undefined } });
    const init = { method: 'GET', headers: { Authorization: 'Bearer whk_x' }, redirect: 'manual' };
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

  it('rejects as fetch does when nothing answers', async () => {
    const client = createWebhookClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'whk_x' });
    await expect(client.GET('/v1/webhook/list')).rejects.toMatchObject({ name: 'TypeError' });
  });

  it('ends a call whose signal is aborted', async () => {
    const client = createWebhookClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'whk_x' });
    const call = client.GET('/v1/webhook/list', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('accepts only requests that the document describes', () => {
    // The type check ("npm run lint:types") verifies these expectations; this code never runs.
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
    expect(wrong).toBeInstanceOf(Function);
  });

  it('accepts records of any type with the required fields', () => {
    interface PatientRecord {
      id: string;
      born: Date;
      analysis: { id: string; status: string }[];
    }
    const right = (client: WebhookClient, patient: PatientRecord) =>
      client.POST('/v1/notification', { body: { ...notification, record: patient } });
    expect(right).toBeInstanceOf(Function);
  });

  const notification = { event_kind: 'RECORD_FINISHED', user_id: 'acme', record };
});

describe('the sources of the client', () => {
  it('import nothing else, so a browser can load them', () => {
    const sources = ['index', 'schema'].map((name) => read(`client/${name}.ts`)).join('\n');
    const modules = [...sources.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name);
    expect(new Set(modules)).toEqual(new Set(['./schema.js']));
  });
});
