import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { expectProblem, NO_ID } from '../support/api.js';
import type { Answer } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { linkedPages } from '../support/linked-pages.js';
import { finished, type Json, newUser, notify, record } from '../support/scene.js';
import { createWebhook, webhookRows } from '../support/webhook.js';

describe.each(databases)('the history of notifications on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver();
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read');
  });

  const get = (path: string, as = key): Promise<Answer> => service.call('GET', path, undefined, { key: as });
  const list = async (query: Record<string, string> = {}, as = key): Promise<Json> => {
    const answer = await get(`/v1/notification/list?${new URLSearchParams(query)}`, as);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const idsOf = async (query: Record<string, string> = {}) =>
    (await list(query)).data.map(({ id }: Json) => id);
  const notified = async (more: Record<string, unknown> = {}): Promise<Json> =>
    (await notify(service, user, more)).body;
  const recordWith = (id: string) => ({ ...record, id });

  it('lists the newest first, with what became of each', async () => {
    const none = await notified();
    await createWebhook(service, { user_id: user, url: `${receiver.url}/${user}` });
    const one = await notified({ record: recordWith('rec_2') });
    await finished(service, one.triggers[0].id);
    const zeros = { pending: 0, delivering: 0, succeeded: 0, failed: 0, cancelled: 0 };
    const shown = { user_id: user, event_kind: 'RECORD_FINISHED', erased_at: null };
    const shownOf = ({ id, triggered_at }: Json) => ({ ...shown, id, triggered_at });
    expect(await list()).toEqual({
      data: [
        { ...shownOf(one), record_id: 'rec_2', triggers: { ...zeros, succeeded: 1 } },
        { ...shownOf(none), record_id: 'rec_1', triggers: zeros },
      ],
      next_cursor: null,
    });
  });

  it('is narrowed by kind, record and time, both ends included', async () => {
    const first = await notified();
    const second = await notified({ event_kind: 'STATUS_CHANGED', record: recordWith('Rec_1') });
    const third = await notified({ record: recordWith('rec_1 ') });
    expect(await idsOf({ event_kind: 'STATUS_CHANGED' })).toEqual([second.id]);
    expect(await idsOf({ event_kind: 'WEBHOOK_TEST' })).toEqual([]);
    expect(await idsOf({ record_id: 'rec_1' })).toEqual([first.id]);
    expect(await idsOf({ record_id: 'rec_1 ' })).toEqual([third.id]);
    expect(await idsOf({ record_id: 'rec_1', event_kind: 'STATUS_CHANGED' })).toEqual([]);
    for (const { id, triggered_at } of [first, second, third])
      expect(await idsOf({ since: triggered_at, until: triggered_at })).toContain(id);
    const before = new Date(Date.parse(first.triggered_at) - 1).toISOString();
    expect(await idsOf({ until: before })).toEqual([]);
    expect(await idsOf({ since: '9999-12-31T23:59:59.999Z' })).toEqual([]);
    expect(await idsOf({ since: before, until: '9999-12-31T23:59:59.999Z' })).toHaveLength(3);
  });

  it('judges the time by what is shown, where the id was made a moment later', async () => {
    const { id, triggered_at } = await notified();
    const at = Date.parse(triggered_at) - 7;
    await service.query('UPDATE webhook_notification SET triggered_at = ? WHERE id = ?', [at, id]);
    const time = (change: number) => new Date(at + change).toISOString();
    expect(await idsOf({ since: time(0), until: time(0) })).toEqual([id]);
    expect(await idsOf({ since: time(1) })).toEqual([]);
    expect(await idsOf({ until: time(-1) })).toEqual([]);
  });

  it('finds records by any id that they may have', async () => {
    for (const id of ['a\u0000b', 'line\nbreak', 'ж'.repeat(256), '日'.repeat(256), ' ', '%_\\"\'']) {
      const { id: notification } = await notified({ record: recordWith(id) });
      expect(await idsOf({ record_id: id })).toEqual([notification]);
    }
  });

  it('goes page by page', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.unshift((await notified()).id);
    const pages = await linkedPages(service, '/v1/notification/list?limit=3', key);
    const shown = pages.map(({ body }) => body.data.map(({ id }: Json) => id));
    expect(shown).toEqual([ids.slice(0, 3), ids.slice(3)]);
  });

  it("shows an admin everybody's notifications", async () => {
    const { id } = await notified();
    const admin = await service.keyFor('root', 'admin');
    expect((await get(`/v1/notification?id=${id}`, admin)).body).toMatchObject({ id, user_id: user });
    expect((await list({ user_id: user }, admin)).data).toMatchObject([{ id }]);
    expect((await list({ record_id: 'rec_1' }, admin)).data.length).toBeGreaterThan(0);
  });

  it('names every bad parameter', async () => {
    const time = { since: 'now', limit: '0', page: '1' };
    const bad = { event_kind: 'record_finished', record_id: 'x'.repeat(257), ...time };
    const answer = await get(`/v1/notification/list?${new URLSearchParams(bad)}`);
    const pointers = Object.keys(bad).map((name) => `?${name}`);
    expectProblem(answer, 400, 'validation_failed', pointers);
    expectProblem(await get('/v1/notification/list?record_id='), 400, 'validation_failed', ['?record_id']);
    expectProblem(await get(`/v1/notification?id=${NO_ID}`), 404, 'not_found');
    expectProblem(await get('/v1/notification/list?cursor=AAAA'), 400, 'invalid_cursor');
    for (let i = 0; i < 2; i++) await notified();
    const { next_cursor } = await list({ limit: '1' });
    expectProblem(await get(`/v1/webhook/trigger/list?cursor=${next_cursor}`), 400, 'invalid_cursor');
  });

  it('shows the record character for character, as it is sent', async () => {
    const text =
      '{"id":"r","n":12345678901234567890,"7":1.0,"analyses":[{"id":"a"},{"id":"b"}],"x":"\\u00e9\\ud83d"}';
    const raw = `{"event_kind":"ANALYSIS_FINISHED","analysis_id":"b","user_id":"${user}","record":${text}}`;
    const { body } = await service.call('POST', '/v1/notification', undefined, { raw });
    const sent = text.replace('"analyses":[{"id":"a"},{"id":"b"}]', '"analysis":[{"id":"b"}]');
    const found = await get(`/v1/notification?id=${body.id}`);
    expect(found.text).toContain(`"data":${sent},"decisions":`);
    expect(found.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('shows a record of nearly a mebibyte', async () => {
    const long = { ...record, text: 'ü"'.repeat(240_000) };
    const { id } = await notified({ record: long });
    expect((await get(`/v1/notification?id=${id}`)).body.data).toEqual(long);
  });

  it('shows no record once its payload is gone, and when it was erased', async () => {
    const { id } = await notified();
    const at = Date.UTC(2026, 10, 21);
    await service.query('UPDATE webhook_notification SET payload_gone_at = ? WHERE id = ?', [at, id]);
    expect((await get(`/v1/notification?id=${id}`)).body).toMatchObject({ data: null, erased_at: null });
    const erase = "UPDATE webhook_notification SET body = '', erased_at = ? WHERE id = ?";
    await service.query(erase, [at, id]);
    const erased = { data: null, erased_at: '2026-11-21T00:00:00.000Z', record_id: 'rec_1' };
    expect((await get(`/v1/notification?id=${id}`)).body).toMatchObject(erased);
    expect((await list()).data).toMatchObject([{ id, erased_at: erased.erased_at }]);
  });

  it('has a decision for each of very many webhooks', async () => {
    const rows = Array.from({ length: 3000 }, () => ({ id: newId(), userId: user, enabled: false }));
    await service.get(Database).writeTogether([webhookRows(rows)]);
    const { id } = await notified();
    const { decisions } = (await get(`/v1/notification?id=${id}`)).body;
    expect(decisions).toHaveLength(3000);
    expect(decisions[0]).toMatchObject({ name: 'w', outcome: 'webhook_disabled', trigger_id: null });
  });

  it('ends a page early rather than count too many triggers, and goes on behind it', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.unshift((await notified()).id);
    const columns = 'id notification_id webhook_id event_kind user_id status next_attempt_at'.split(' ');
    const rows = ids.flatMap((id) =>
      Array.from({ length: 2000 }, () => [newId(), id, newId(), 'RECORD_FINISHED', user, 'FAILED', 0]),
    );
    await service.get(Database).writeTogether([{ table: 'webhook_trigger', columns, rows }]);
    const first = await list({ limit: '8' });
    expect(first.data).toHaveLength(4);
    const rest = await list({ limit: '4', cursor: first.next_cursor });
    const shown = ids.map((id) => ({ id, triggers: { failed: 2000, pending: 0 } }));
    expect([...first.data, ...rest.data]).toMatchObject(shown);
  });
});
