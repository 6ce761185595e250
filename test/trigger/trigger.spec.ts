import { beforeAll, describe, expect, it } from '@jest/globals';
import { DATE_TIME, expectProblem, ID, MASK, NO_ID } from '../support/api.js';
import type { Answer } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { linkedPages } from '../support/linked-pages.js';
import { finished, type Json, newUser, notify, record, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const LIST = '/v1/webhook/trigger/list';

const waits = ({ status, attempt_count }: Json) => status === 'PENDING' && attempt_count > 0;

describe.each(databases)('triggers on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  beforeAll(async () => {
    receiver.respondWith('/ok', { status: 200, headers: { 'X-Answer': 'yes' }, body: 'thanks' });
    receiver.respondWith('/fails', { status: 500, body: 'no' });
  });

  const find = (id: string) => service.call('GET', `/v1/webhook/trigger?id=${id}`);
  const list = (query: string, key?: string) =>
    service.call('GET', LIST + query, undefined, key ? { key } : {});
  const webhook = (user_id: string, path: string, fields: object = {}) =>
    createWebhook(service, {
      user_id,
      url: receiver.url + path,
      events: ['RECORD_FINISHED', 'STATUS_CHANGED'],
      ...fields,
    });

  it('show the request and the response, without credentials', async () => {
    const user = newUser();
    const headers = { Authorization: 'Bearer s3cret', 'x-api-key': 'k3y', 'X-Team': 'risk' };
    const { id: webhook_id, events } = await webhook(user, '/ok', { headers });
    const { body: notification } = await notify(service, user);
    const { id } = notification.triggers[0];
    const found = await finished(service, id);
    expect(found).toEqual({
      id: expect.stringMatching(ID),
      notification_id: notification.id,
      webhook_id,
      event_id: events[0].id,
      event_kind: 'RECORD_FINISHED',
      user_id: user,
      status: 'SUCCEEDED',
      attempt_count: 1,
      begin: expect.stringMatching(DATE_TIME),
      end: expect.stringMatching(DATE_TIME),
      next_attempt_at: null,
      request_data: {
        method: 'POST',
        url: `${receiver.url}/ok`,
        headers: expect.objectContaining({ Authorization: MASK, 'x-api-key': MASK, 'X-Team': 'risk' }),
        body: { data: record, triggered_at: notification.triggered_at, event_kind: 'RECORD_FINISHED' },
      },
      response_data: {
        status: 200,
        headers: expect.objectContaining({ 'x-answer': 'yes' }),
        body: 'thanks',
        truncated: false,
        duration_ms: expect.any(Number),
      },
      error: null,
      diagnosis: null,
      attempts: [
        {
          number: 1,
          cause: 'schedule',
          begin: expect.stringMatching(DATE_TIME),
          end: expect.stringMatching(DATE_TIME),
          duration_ms: expect.any(Number),
          phases: expect.objectContaining({ headers: expect.any(Number) }),
          response_data: found.response_data,
          error: null,
          diagnosis: null,
        },
      ],
    });
    expect(JSON.stringify(found)).not.toMatch(/s3cret|k3y/);
  });

  it('show the headers that the receiver got, with and without a traceparent', async () => {
    const user = newUser();
    await webhook(user, '/shown', { headers: { 'X-Team': 'risk' } });
    const report = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const callers: Record<string, string>[] = [{ traceparent }, {}];
    for (const headers of callers) {
      const { body } = await service.call('POST', '/v1/notification', report, { headers });
      const { request_data } = await finished(service, body.triggers[0].id);
      const received = receiver.requests.find((one) => one.headers['webhook-id'] === body.id)?.headers ?? {};
      const { host, connection, 'content-length': length, ...sent } = received;
      const shown = Object.entries(request_data.headers).map(([name, value]) => [name.toLowerCase(), value]);
      expect(Object.fromEntries(shown)).toEqual(sent);
      const [listed] = (await list(`?user_id=${user}&limit=1`)).body.data;
      expect(listed.request_data).toEqual({ ...request_data, body: undefined });
    }
  });

  it('show why the last attempt failed and when the next one is due', async () => {
    const user = newUser();
    await webhook(user, '/fails');
    const found = await triggerWhen(service, await trigger(service, user), waits);
    expect(found).toMatchObject({
      status: 'PENDING',
      end: null,
      next_attempt_at: expect.stringMatching(DATE_TIME),
      response_data: { status: 500, body: 'no' },
      error: { code: 'http_status', message: expect.stringMatching(/500/) },
      attempts: [{ number: 1, error: { code: 'http_status' } }],
    });
    expect(Date.parse(found.next_attempt_at) - Date.now()).toBeGreaterThan(2_000_000);
  });

  it('are found by id only', async () => {
    expectProblem(await find(NO_ID), 404, 'not_found');
    expectProblem(await service.call('GET', '/v1/webhook/trigger'), 400, 'validation_failed', ['?id']);
  });

  describe('the list', () => {
    it('can be filtered by each field', async () => {
      const user = newUser();
      const key = await service.keyFor(user, 'webhooks:read');
      const webhooks = [await webhook(user, '/ok'), await webhook(user, '/fails')];
      for (const event_kind of ['RECORD_FINISHED', 'STATUS_CHANGED']) {
        await notify(service, user, { event_kind });
      }
      const settled = (all: Json[]) => all.every((one) => one.status === 'SUCCEEDED' || waits(one));
      const all = await until(async () => {
        const found: Json[] = (await list('', key)).body.data;
        return settled(found) ? found : null;
      });
      expect(all).toHaveLength(4);
      expect(all).toEqual(all.toSorted((one, other) => (one.id > other.id ? -1 : 1)));

      const filters: [name: string, values: unknown[]][] = [
        ['webhook_id', [webhooks[0].id, webhooks[1].id, NO_ID]],
        ['event_id', [webhooks[0].events[1].id, NO_ID]],
        ['event_kind', ['STATUS_CHANGED', 'ANALYSIS_FINISHED']],
        ['status', ['SUCCEEDED', 'PENDING', 'FAILED', 'DELIVERING', 'CANCELLED']],
        ['notification_id', [all[0]?.notification_id, NO_ID]],
        ['user_id', [user, newUser()]],
      ];
      for (const [name, values] of filters) {
        for (const value of values) {
          const wanted = all.filter((one) => one[name] === value);
          expect((await list(`?${name}=${value}`, key)).body).toEqual({ data: wanted, next_cursor: null });
        }
      }
      const both = await list(`?webhook_id=${webhooks[1].id}&event_kind=STATUS_CHANGED&status=PENDING`, key);
      expect(both.body.data).toHaveLength(1);
    });

    it('shows bodies only on request', async () => {
      const user = newUser();
      const { id } = await webhook(user, '/ok');
      await finished(service, await trigger(service, user));
      const [plain] = (await list(`?webhook_id=${id}`)).body.data;
      expect(plain.request_data).not.toHaveProperty('body');
      expect(plain.response_data).not.toHaveProperty('body');
      expect(plain).not.toHaveProperty('attempts');
      const [full] = (await list(`?webhook_id=${id}&include=data`)).body.data;
      expect(full.request_data.body.data).toEqual(record);
      expect(full.response_data.body).toBe('thanks');
    });

    it.each<[Record<string, string>, number]>([
      [{ since: '2020-01-01T02:00:00+02:00', until: '9999-12-31T23:59:59Z' }, 1],
      [{ since: '2024-02-29T23:59:59.5-12:00' }, 1],
      [{ since: '9999-12-31T23:59:59Z' }, 0],
      [{ until: '1970-01-01T00:00:00Z' }, 0],
    ])('can be filtered by time: %j', async (time, count) => {
      const user = newUser();
      await webhook(user, '/ok');
      await trigger(service, user);
      const query = new URLSearchParams({ user_id: user, ...time });
      expect((await list(`?${query}`)).body.data).toHaveLength(count);
    });

    const idsOf = (pages: Answer[]) => pages.flatMap(({ body }) => body.data.map(({ id }: Json) => id));

    it('is paged', async () => {
      const user = newUser();
      const key = await service.keyFor(user, 'webhooks:read');
      await webhook(user, '/ok');
      const made = await Promise.all(Array.from({ length: 7 }, () => trigger(service, user)));
      const pages = await linkedPages(service, `${LIST}?limit=3&event_kind=RECORD_FINISHED`, key);
      expect(idsOf(pages)).toEqual(made.sort().reverse());
      const { next_cursor } = (await list('?limit=1', key)).body;
      const elsewhere = await service.call('GET', `/v1/webhook/list?cursor=${next_cursor}`);
      expectProblem(elsewhere, 400, 'invalid_cursor', ['?cursor']);
    });

    it('shows large bodies byte for byte as stored, and continues after the last one that fits', async () => {
      const MIB = 1024 * 1024;
      const user = newUser();
      await webhook(user, '/ok');
      // JSON.stringify would change its numbers and the order of its keys.
      const large = `{"id":"rec_1","analysis":[],"10":-0,"9":12345678901234567890,"text":"${'x'.repeat(MIB - 1000)}"}`;
      const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":${large}}`;
      const ids: string[] = [];
      for (let count = 0; count < 7; count++) {
        const { body } = await service.call('POST', '/v1/notification', undefined, { raw });
        ids.unshift(body.triggers[0].id);
        await finished(service, body.triggers[0].id);
      }
      const pages = await linkedPages(service, `${LIST}?include=data&limit=100&user_id=${user}`);
      for (const { text, body } of pages) {
        expect(text.length).toBeLessThan(3 * MIB);
        expect(body.data.length).toBeGreaterThan(0);
        expect(text.split(`"data":${large},"triggered_at"`).length - 1).toBe(body.data.length);
      }
      expect(idsOf(pages)).toEqual(ids);
    });

    it.each([
      ['webhook_id=x', 'webhook_id'],
      ['event_id=x', 'event_id'],
      ['notification_id=', 'notification_id'],
      ['status=DONE', 'status'],
      ['since=yesterday', 'since'],
      ['since=2026-13-01T00:00:00Z', 'since'],
      ['since=2026-02-30T00:00:00Z', 'since'],
      ['until=2026-01-01T24:00:00Z', 'until'],
      ['until=2026-11-21', 'until'],
      ['until=2026-11-21T10:15:30', 'until'],
      ['include=everything', 'include'],
      ['limit=0', 'limit'],
      ['foo=1', 'foo'],
    ])('refuses %s', async (query, name) => {
      expectProblem(await list(`?${query}`), 400, 'validation_failed', [`?${name}`]);
    });
  });
});
