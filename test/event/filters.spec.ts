import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { EventService } from '../../src/event/event.service.js';
import { NotifierService } from '../../src/notifier/notifier.service.js';
import { newId } from '../../src/platform/ids/ids.js';
import { expectProblem } from '../support/api.js';
import type { Answer } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const KIND = 'RECORD_FINISHED';
const rec = (fields: object) => ({ record: { id: 'rec_1', analysis: [], ...fields } });

describe.each(databases)('the filter of an event on $name', (kind) => {
  const receiver = useReceiver();
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = (filter: unknown, fields: object = {}) => {
    const events = [{ kind: KIND, filter }];
    return createWebhook(service, { user_id: user, url: `${receiver.url}/${user}`, events, ...fields });
  };
  const triggersOf = async (fields: object) => {
    const { status, body, text } = await notify(service, user, rec(fields));
    if (status !== 202) throw new Error(text);
    return body.triggers.map(({ webhook_id }: { webhook_id: string }) => webhook_id);
  };
  const patch = (body: object) => service.call('PATCH', '/v1/webhook/event', body);
  const post = (path: string, body: object) => service.call('POST', path, body);
  const tried = async (filter: string, record: string) => {
    const raw = `{"filter":${filter},"record":${record}}`;
    return (await service.call('POST', '/v1/webhook/event/filter/test', undefined, { raw })).body;
  };

  it('decides when a notification is accepted, and the decision names the part that does not match', async () => {
    const high = await create({ score: { $gte: 0.8 } });
    const all = await create(null);
    const invalid = await create({ status: { $in: ['INVALID', 'FAILED'] }, score: { $lt: 1 } });
    const { body } = await notify(service, user, rec({ score: 0.9, status: 'VALID' }));
    expect(body.triggers).toMatchObject([{ webhook_id: high.id }, { webhook_id: all.id }]);
    const found = await service.call('GET', `/v1/notification?id=${body.id}`);
    const [first, second] = body.triggers;
    const passed = { outcome: 'triggered', trigger_id: first.id };
    const filtered = { outcome: 'filtered', trigger_id: null };
    expect(found.body.decisions).toEqual([
      { webhook_id: high.id, name: high.name, ...passed },
      { webhook_id: all.id, name: all.name, ...passed, trigger_id: second.id },
      { webhook_id: invalid.id, name: invalid.name, ...filtered, reason: '/status/$in does not match' },
    ]);
    await finished(service, first.id);
    expect(receiver.at(`/${user}`)).toHaveLength(2);
  });

  it('looks at the data as the webhook would get it', async () => {
    const events = [{ kind: 'ANALYSIS_FINISHED', filter: { 'analysis.status': 'INVALID' } }];
    const { id } = await create(null, { events });
    const analysis = [
      { id: 'a', status: 'VALID' },
      { id: 'b', status: 'INVALID' },
    ];
    const finish = async (analysis_id: string) => {
      const more = { event_kind: 'ANALYSIS_FINISHED', analysis_id, record: { id: 'r', analyses: analysis } };
      return (await notify(service, user, more)).body.triggers;
    };
    expect(await finish('a')).toEqual([]);
    expect(await finish('b')).toEqual([{ id: expect.any(String), webhook_id: id }]);
  });

  it('can be given, changed and taken away, and is answered as it was given', async () => {
    const webhook = await createWebhook(service, { user_id: user, events: [] });
    const made = await post('/v1/webhook/event', { webhook_id: webhook.id, kind: KIND, filter: { a: 1 } });
    expect(made).toMatchObject({ status: 201, body: { filter: { a: 1 }, enabled: true } });
    expect(await triggersOf({ a: 2 })).toEqual([]);
    const { id } = made.body;
    expect((await patch({ id, filter: { a: 2 } })).body).toMatchObject({ filter: { a: 2 }, enabled: true });
    expect(await triggersOf({ a: 2 })).toEqual([webhook.id]);
    expect((await patch({ id, enabled: false })).body).toMatchObject({ filter: { a: 2 }, enabled: false });
    const changed = await patch({ id, enabled: true, filter: {} });
    expect(changed.body).toMatchObject({ filter: {}, enabled: true });
    expect(await triggersOf({ a: 3 })).toEqual([webhook.id]);
    expect((await patch({ id, filter: null })).body).toMatchObject({ filter: null });
    expect(await triggersOf({ a: 3 })).toEqual([webhook.id]);
  });

  it('is replaced with the list of events, in which an entry without a filter has none', async () => {
    const { id, events } = await create({ a: 1 });
    const update = (list: unknown[]) => service.call('PATCH', '/v1/webhook', { id, events: list });
    expect((await update([{ kind: KIND, filter: { a: 2 } }])).body.events).toMatchObject([
      { id: events[0].id, filter: { a: 2 } },
    ]);
    expect(await triggersOf({ a: 1 })).toEqual([]);
    expect((await update([KIND])).body.events).toMatchObject([{ id: events[0].id, filter: null }]);
    expect(await triggersOf({ a: 1 })).toEqual([id]);
  });

  it('compares and answers whole numbers beyond 2^53 exactly', async () => {
    const raw = (body: string) => service.call('POST', '/v1/webhook', undefined, { raw: body });
    const text = `{"user_id":"${user}","name":"n","url":"${receiver.url}/${user}","events":[{"kind":"${KIND}","filter":{"a":12345678901234567890}}]}`;
    const created = await raw(text);
    expect(created.text).toContain('"filter":{"a":12345678901234567890}');
    const { id, events } = created.body;
    expect((await service.call('GET', `/v1/webhook?id=${id}`)).text).toContain('{"a":12345678901234567890}');
    const report = (a: string) =>
      service.call('POST', '/v1/notification', undefined, {
        raw: `{"event_kind":"${KIND}","user_id":"${user}","record":{"id":"r","a":${a},"analysis":[]}}`,
      });
    expect((await report('12345678901234567891')).body.triggers).toEqual([]);
    expect((await report('12345678901234567890')).body.triggers).toHaveLength(1);
    const patched = await service.call('PATCH', '/v1/webhook/event', undefined, {
      raw: `{"id":"${events[0].id}","filter":{"a":{"$gt":12345678901234567890}}}`,
    });
    expect(patched.text).toContain('{"$gt":12345678901234567890}');
    expect((await report('12345678901234567891')).body.triggers).toHaveLength(1);
  });

  it('does not hold back a test', async () => {
    const { id } = await create({ a: 1 });
    expect((await post('/v1/webhook/test', { id })).status).toBe(202);
    await until(() => receiver.at(`/${user}`).length === 1);
  });

  it('also decides what a recovery makes up for', async () => {
    const { id } = await create({ a: { $gt: 1 } }, { enabled: false });
    const since = new Date().toISOString();
    for (const a of [1, 2, 3]) expect(await triggersOf({ a })).toEqual([]);
    await service.call('PATCH', '/v1/webhook', { id, enabled: true });
    const missed = { id, since, missed: true };
    expect((await post('/v1/webhook/recover', { ...missed, dry_run: true })).body.triggers).toBe(2);
    const recovery = await post('/v1/webhook/recover', missed);
    expect(recovery.body.total).toBe(2);
    await until(() => receiver.at(`/${user}`).length === 2);
    const sent = receiver.at(`/${user}`).map((request) => JSON.parse(String(request.body)).data.a);
    expect(sent.sort()).toEqual([2, 3]);
    const done = await service.call('GET', `/v1/webhook/recover?id=${recovery.body.id}`);
    expect(done.body.done).toBe(2);
  });

  it('is refused with each wrong part named', async () => {
    const webhook = await createWebhook(service, { user_id: user, events: [] });
    const expectWrong = (answer: Answer, pointers: string[]) =>
      expectProblem(answer, 400, 'validation_failed', pointers);
    const wrong = { a: { $regex: 'x' }, 'b/c': { $gt: null }, $nor: [], d: { $in: [{ $regex: 'x' }] } };
    const parts = ['a/$regex', 'b~1c/$gt', '$nor', 'd/$in/0/$regex'];
    const at = (root: string) => parts.map((part) => `${root}/${part}`);
    const event = { webhook_id: webhook.id, kind: KIND, filter: wrong };
    expectWrong(await post('/v1/webhook/event', event), at('/filter'));
    const update = { id: webhook.id, events: [KIND, { kind: 'STATUS_CHANGED', filter: wrong }] };
    expectWrong(await service.call('PATCH', '/v1/webhook', update), at('/events/1/filter'));
    const test = { filter: 'a', record: [] };
    expectWrong(await post('/v1/webhook/event/filter/test', test), ['/filter', '/record']);
    expectWrong(await patch({ id: webhook.id }), ['/enabled']);
  });

  it('can be tried on a record', async () => {
    const no = { matches: false, reason: '/score/$gt does not match' };
    expect(await tried('{"score":{"$gt":1}}', '{"score":2}')).toEqual({ matches: true, reason: null });
    expect(await tried('{"score":{"$gt":1}}', '{"score":1}')).toEqual(no);
    expect(await tried('null', '{}')).toEqual({ matches: true, reason: null });
    const events = service.get(EventService);
    expect(events.testFilter({ n: 2n ** 64n }, { n: 2n ** 64n })).toEqual({ matches: true, reason: null });
    expect(events.testFilter({ n: 2n ** 64n }, { n: 2n ** 64n + 1n })).toMatchObject({ matches: false });
  });

  it('is tried on a record with numbers as they are written, be they many or have large exponents', async () => {
    const many = `[${Array(2000).fill('1e999').join()}]`;
    expect(await tried('{"a":1e999}', `{"a":1${'0'.repeat(999)}}`)).toMatchObject({ matches: true });
    expect(await tried('{"a":{"$gt":1e300}}', '{"a":-1e1001}')).toMatchObject({ matches: false });
    expect(await tried('{"b":1e30}', `{"a":${many},"b":1e30}`)).toMatchObject({ matches: true });
    const refused = { status: 400, errors: [{ pointer: '/filter' }] };
    expect(await tried(`{"a":${many}}`, '{}')).toMatchObject(refused);
  });

  it('is refused where it would make all of a webhook larger than a body may be', async () => {
    const webhook = await createWebhook(service, { user_id: user, events: ['STATUS_CHANGED'] });
    const [stored] = webhook.events;
    // An application has as many kinds as it likes.
    const filter = JSON.stringify({ a: 'x'.repeat(16_000) });
    const columns = 'webhook_id, user_id, enabled, created_at';
    for (let n = 0; n < 16; n++)
      await service.query(
        `INSERT INTO webhook_event (id, kind, filter, filter_hash, ${columns})
         SELECT ?, ?, ?, 'x', ${columns} FROM webhook_event WHERE id = ?`,
        [newId(), `OWN_${n}`, filter, stored.id],
      );
    const large = { a: 'x'.repeat(10_000) };
    const made = await post('/v1/webhook/event', { webhook_id: webhook.id, kind: KIND, filter: large });
    const changed = await patch({ id: stored.id, filter: large });
    for (const answer of [made, changed]) {
      expectProblem(answer, 400, 'validation_failed', ['/filter']);
      expect(answer.text).toContain('at most 262144 bytes as JSON, together');
    }
    expect((await patch({ id: stored.id, filter: { a: 1 } })).status).toBe(200);
    const found = await service.call('GET', `/v1/webhook?id=${webhook.id}`);
    expect(found.body.events).toHaveLength(17);
    expect(found.body.events[0].filter).toEqual({ a: 1 });
  });

  it('decides within a transaction of the application as well', async () => {
    const { id } = await create({ a: 1 });
    const within = (a: number) =>
      service.get(DataSource).transaction((manager) => {
        const event = { user_id: user, record: { id: 'r', analysis: [], a } as never };
        return service.get(NotifierService).notify('record.finished', event, { manager });
      });
    expect((await within(2)).triggers).toEqual([]);
    expect((await within(1)).triggers).toMatchObject([{ webhookId: id }]);
  });
});
