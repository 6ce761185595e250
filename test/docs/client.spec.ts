import { beforeAll, describe, expect, it } from '@jest/globals';
import { createWebhookClient, type Result, type WebhookClient } from '../../client/index.js';
import { DATE_TIME, ID, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser, record } from '../support/scene.js';
import { ADMIN_KEY } from '../support/service.js';
import { webhookBody } from '../support/webhook.js';

/** @throws if the result is a problem. */
function dataOf<D>({ data, error }: Result<D>): D {
  if (error) throw new Error(JSON.stringify(error));
  return data;
}

const tagOf = ({ response }: Result<unknown>) => response.headers.get('etag') ?? '';

describe.each(databases)('the client on $name', (kind) => {
  const service = useService(kind);
  let client: WebhookClient;

  beforeAll(() => {
    client = clientWith(ADMIN_KEY);
  });

  const clientWith = (apiKey: string) => createWebhookClient({ baseUrl: service.url, apiKey });
  const create = async (fields: Partial<ReturnType<typeof webhookBody>> & { user_id?: string } = {}) =>
    dataOf(await client.POST('/v1/webhook', { body: { ...webhookBody(), ...fields } }));

  describe('with webhooks', () => {
    it('creates one, returns its secret, and finds it', async () => {
      const created = await create();
      expect(created.secret).toMatch(/^whsec_/);
      const found = dataOf(await client.GET('/v1/webhook', { query: { id: created.id } }));
      const { secret, ...others } = created;
      expect(found).toEqual(others);
      expect(dataOf(await client.GET('/v1/webhook/secret', { query: { id: created.id } }))).toEqual({
        secret,
      });
    });

    it('creates one only once under an idempotency key', async () => {
      const request = { body: webhookBody(), headers: { 'Idempotency-Key': newUser() } };
      const first = await client.POST('/v1/webhook', request);
      const second = await client.POST('/v1/webhook', request);
      expect(dataOf(second)).toEqual(dataOf(first));
      expect(second.response.headers.get('idempotent-replayed')).toBe('true');
    });

    it('lists them, page by page', async () => {
      const user_id = newUser();
      const ids = [];
      for (const _ of [1, 2, 3]) ids.push((await create({ user_id })).id);
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = dataOf(
          await client.GET('/v1/webhook/list', { query: { user_id, limit: '2', enabled: 'true', cursor } }),
        );
        pages.push(page.data.map(({ id }) => id));
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      expect(pages).toEqual([ids.slice(1).reverse(), ids.slice(0, 1)]);
    });

    it('lists them without a request argument', async () => {
      const list = dataOf(await client.GET('/v1/webhook/list'));
      expect(list.data.length).toBeGreaterThan(0);
    });

    it('escapes query values', async () => {
      const name = 'A & b=c?#%+ ü';
      const { id } = await create({ name });
      const list = dataOf(await client.GET('/v1/webhook/list', { query: { name } }));
      expect(list.data.map((found) => found.id)).toEqual([id]);
    });

    it('changes one unless it was changed meanwhile', async () => {
      const { id } = await create();
      const found = await client.GET('/v1/webhook', { query: { id } });
      const request = { body: { id, name: 'mine' }, headers: { 'If-Match': tagOf(found) } };
      const changed = await client.PATCH('/v1/webhook', request);
      expect(dataOf(changed).name).toBe('mine');
      const refused = await client.PATCH('/v1/webhook', request);
      expect(refused.error).toMatchObject({ status: 412, code: 'precondition_failed' });
    });

    it('learns that one has not changed', async () => {
      const { id } = await create();
      const found = await client.GET('/v1/webhook', { query: { id } });
      const headers = { 'If-None-Match': tagOf(found) };
      const again = await client.GET('/v1/webhook', { query: { id }, headers });
      expect(again.data).toBeUndefined();
      expect(again.error).toMatchObject({ status: 304, code: 'not_modified' });
    });

    it('gives one a new secret', async () => {
      const { id, secret } = await create();
      const rotated = dataOf(
        await client.POST('/v1/webhook/secret/rotate', { body: { id, overlap_seconds: 60 } }),
      );
      expect(rotated.secret).not.toBe(secret);
      expect(rotated.previous_expires_at).toMatch(DATE_TIME);
    });

    it('deletes one', async () => {
      const { id } = await create();
      expect(dataOf(await client.DELETE('/v1/webhook', { query: { id } }))).toEqual({ id, deleted: true });
      const found = await client.GET('/v1/webhook', { query: { id } });
      expect(found.error).toMatchObject({ status: 404, code: 'not_found' });
    });
  });

  it('subscribes to an event, switches it off, and ends the subscription', async () => {
    const webhook = await create();
    const body = { webhook_id: webhook.id, kind: 'STATUS_CHANGED' };
    const event = dataOf(await client.POST('/v1/webhook/event', { body }));
    expect(event).toEqual({
      id: expect.stringMatching(ID),
      event_kind: body.kind,
      enabled: true,
      filter: null,
      ...body,
    });
    const { id } = event;
    const off = dataOf(await client.PATCH('/v1/webhook/event', { body: { id, enabled: false } }));
    expect(off).toEqual({ ...event, enabled: false });
    expect(dataOf(await client.DELETE('/v1/webhook/event', { query: { id } })).deleted).toBe(true);
    const { data: kinds } = dataOf(await client.GET('/v1/webhook/event/kind/list'));
    expect(kinds.map(({ kind }) => kind)).toContain('STATUS_CHANGED');
  });

  it('reports a notification once under one key, and lists its trigger', async () => {
    const user_id = newUser();
    const webhook = await create({ user_id });
    await client.POST('/v1/webhook/event', { body: { webhook_id: webhook.id, kind: 'RECORD_FINISHED' } });
    const body = { event_kind: 'RECORD_FINISHED', user_id, record };
    const request = { body, headers: { 'Idempotency-Key': user_id } };
    const first = await client.POST('/v1/notification', request);
    const second = await client.POST('/v1/notification', request);
    expect(dataOf(second)).toEqual(dataOf(first));
    const replayed = [first, second].map(({ response }) => response.headers.get('idempotent-replayed'));
    expect(replayed).toEqual([null, 'true']);
    const { data } = dataOf(
      await client.GET('/v1/webhook/trigger/list', { query: { user_id, include: 'data' } }),
    );
    expect(data.map(({ id }) => id)).toEqual(dataOf(first).triggers.map(({ id }) => id));
    expect(data[0]?.request_data.body).toMatchObject({ data: record, event_kind: 'RECORD_FINISHED' });
  });

  describe('is refused', () => {
    it('an unknown webhook', async () => {
      const { data, error, response } = await client.GET('/v1/webhook', { query: { id: NO_ID } });
      expect(data).toBeUndefined();
      expect(error).toEqual({
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: expect.any(String),
        instance: '/v1/webhook',
        code: 'not_found',
      });
      expect(response.status).toBe(404);
    });

    it('an invalid body, with every bad field', async () => {
      const body = { name: '', url: 'ftp://example.com', events: ['NO_SUCH_KIND'] };
      const { error } = await client.POST('/v1/webhook', { body });
      expect(error).toMatchObject({ status: 400, code: 'validation_failed' });
      expect(error?.errors?.map(({ pointer }) => pointer).sort()).toEqual(['/events/0', '/name', '/url']);
    });

    it('every call with an unknown key', async () => {
      const { error } = await clientWith(`whk_${'B'.repeat(43)}`).GET('/v1/webhook/list');
      expect(error).toMatchObject({ status: 401, code: 'unauthenticated' });
    });
  });
});
