import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { attempted, finished, newUser, record, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { report, type Told, toldBy } from './groups.js';

describe.each(databases)('ordering by record, on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;
  let webhookId: string;

  const told = () => receiver.requests.map(toldBy);
  const changesOf = (name: string) =>
    told().flatMap(({ record, change }) => (record === name ? [change] : []));
  const get = async (id: string) => (await service.call('GET', `/v1/webhook/trigger?id=${id}`)).body;

  const patch = (change: object) => service.call('PATCH', '/v1/webhook', { id: webhookId, ...change });

  /** Answers 500 to these attempts of changes. */
  function failing(fails: (one: Told, earlier: number) => boolean): void {
    const tried = new Map<string, number>();
    receiver.respondWith((request) => {
      const one = toldBy(request);
      const key = `${one.record} ${one.change}`;
      const earlier = tried.get(key) ?? 0;
      tried.set(key, earlier + 1);
      return { status: fails(one, earlier) ? 500 : 200 };
    });
  }

  beforeEach(async () => {
    user = newUser();
    const settings = { ordering: 'record', retry_schedule_seconds: [0.1, 0.1] };
    const webhook = await createWebhook(service, { user_id: user, url: receiver.url, settings });
    webhookId = webhook.id;
    expect(webhook.effective_settings).toMatchObject({ ordering: 'record', coalesce: false });
  });

  it('sends the changes of a record one at a time and in order, also those reported at once', async () => {
    receiver.respondWith(() => ({ after: setImmediate() }));
    await Promise.all(Array.from({ length: 30 }, (_, change) => report(service, user, 'one', change)));
    await receiver.waitFor(30);
    expect(changesOf('one')).toEqual(Array.from({ length: 30 }, (_, change) => change));
    expect(receiver.underWay.most).toBe(1);
  });

  it('waits with a record for the retry of its change, and not with others', async () => {
    failing(({ record, change }, earlier) => record === 'bad' && change === 1 && earlier === 0);
    for (let change = 1; change <= 3; change++) {
      await report(service, user, 'bad', change);
      await report(service, user, 'good', change);
    }
    await receiver.waitFor(7);
    expect(changesOf('bad')).toEqual([1, 1, 2, 3]);
    expect(changesOf('good')).toEqual([1, 2, 3]);
  });

  it('goes on after a change that fails for good, and shows what waits without a time', async () => {
    const gate = Promise.withResolvers<void>();
    receiver.respondWith(async (request) => {
      if (toldBy(request).change !== 1) return {};
      await gate.promise;
      return { status: 500 };
    });
    const first = await report(service, user, 'one', 1);
    await receiver.waitFor(1);
    const second = await report(service, user, 'one', 2);
    expect(await get(second)).toMatchObject({ status: 'PENDING', next_attempt_at: null, error: null });
    gate.resolve();
    expect(await finished(service, first)).toMatchObject({ status: 'FAILED', attempt_count: 3 });
    expect(await finished(service, second)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
  });

  it('gives what is retried by hand its old position', async () => {
    failing(({ change }) => change === 1);
    const first = await report(service, user, 'one', 1);
    await finished(service, first);
    const before = receiver.requests.length;
    const gate = Promise.withResolvers<void>();
    receiver.respondWith(async (request) => {
      if (toldBy(request).change === 2) await gate.promise;
      return {};
    });
    const second = await report(service, user, 'one', 2);
    const third = await report(service, user, 'one', 3);
    await receiver.waitFor(before + 1);
    // The second is under way: nothing else of the record may be.
    expect((await service.call('POST', '/v1/webhook/trigger/retry', { id: first })).status).toBe(202);
    await until(async () => (await get(first)).status === 'PENDING', { what: 'the retried one waits' });
    gate.resolve();
    await Promise.all([first, second, third].map((id) => finished(service, id)));
    expect(changesOf('one').slice(before)).toEqual([2, 1, 3]);
  });

  it('goes before one that waits for its retry', async () => {
    failing(({ change }) => change === 1);
    const first = await report(service, user, 'one', 1);
    await finished(service, first);
    await patch({ settings: { retry_schedule_seconds: [600] } });
    const before = receiver.requests.length;
    failing(({ change }, earlier) => change === 2 && earlier === 0);
    const second = await report(service, user, 'one', 2);
    const waiting = await attempted(service, second);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: first });
    await finished(service, first);
    expect(changesOf('one').slice(before)).toEqual([2, 1]);
    const then = await triggerWhen(service, second, ({ next_attempt_at }) => next_attempt_at !== null);
    expect(then.next_attempt_at).toBe(waiting.next_attempt_at);
    await service.call('POST', '/v1/webhook/trigger/retry', { id: second });
    await finished(service, second);
  });

  it('brings back what was missed in its order', async () => {
    await patch({ settings: { retry_schedule_seconds: [0] } });
    failing(() => true);
    const since = new Date(Date.now() - 1000).toISOString();
    const ids: string[] = [];
    for (let change = 1; change <= 4; change++) ids.push(await report(service, user, 'one', change));
    await Promise.all(ids.map((id) => finished(service, id)));
    const before = receiver.requests.length;
    failing(() => false);
    const { status } = await service.call('POST', '/v1/webhook/recover', { id: webhookId, since });
    expect(status).toBe(202);
    await receiver.waitFor(before + 4);
    expect(changesOf('one').slice(before)).toEqual([1, 2, 3, 4]);
  });

  it('drops what waits when the webhook is switched off, and goes on when it is on again', async () => {
    const release = receiver.hold();
    const first = await report(service, user, 'one', 1);
    const second = await report(service, user, 'one', 2);
    await receiver.waitFor(1);
    await patch({ enabled: false });
    expect(await finished(service, second)).toMatchObject({ status: 'CANCELLED' });
    await patch({ enabled: true });
    const third = await report(service, user, 'one', 3);
    release();
    await finished(service, first);
    expect(await finished(service, third)).toMatchObject({ status: 'SUCCEEDED' });
    expect(changesOf('one')).toEqual([1, 3]);
  });

  it('lets an erased head go', async () => {
    failing(({ change }) => change === 1);
    await patch({ settings: { retry_schedule_seconds: [600] } });
    const first = await report(service, user, 'one', 1);
    await attempted(service, first);
    const second = await report(service, user, 'one', 2);
    const erased = await service.call('DELETE', `/v1/notification?record_id=one&user_id=${user}`);
    expect(erased.status).toBe(200);
    await finished(service, second);
    const third = await report(service, user, 'one', 3);
    expect(await finished(service, third)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('sends a test, and what is no longer ordered, beside what waits', async () => {
    const gate = Promise.withResolvers<void>();
    receiver.respondWith((request) => (toldBy(request).change === 1 ? { after: gate.promise } : {}));
    await report(service, user, 'one', 1);
    const second = await report(service, user, 'one', 2);
    await receiver.waitFor(1);
    const { body: test } = await service.call('POST', '/v1/webhook/test', { id: webhookId });
    expect(await finished(service, test.id)).toMatchObject({ status: 'SUCCEEDED' });
    await patch({ settings: { ordering: null } });
    const third = await report(service, user, 'one', 3);
    expect(await finished(service, third)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await get(second)).status).toBe('PENDING');
    gate.resolve();
    expect(await finished(service, second)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe.each(databases)('coalescing, on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;

  const told = () => receiver.requests.map(toldBy);
  const webhook = (settings: object) =>
    createWebhook(service, {
      user_id: user,
      url: receiver.url,
      settings: { coalesce: true, retry_schedule_seconds: [600], ...settings },
    });

  beforeEach(() => {
    user = newUser();
  });

  it('sends the newest of those that wait, and says what became of the others', async () => {
    await webhook({});
    const release = receiver.hold();
    const ids: string[] = [await report(service, user, 'one', 0)];
    await receiver.waitFor(1);
    for (let change = 1; change <= 4; change++) ids.push(await report(service, user, 'one', change));
    const superseded = await Promise.all(ids.slice(1, 4).map((id) => finished(service, id)));
    for (const one of superseded)
      expect(one).toMatchObject({ status: 'CANCELLED', error: { code: 'superseded' }, attempt_count: 0 });
    release();
    expect(await finished(service, ids[4] as string)).toMatchObject({ status: 'SUCCEEDED' });
    expect(told().map(({ change }) => change)).toEqual([0, 4]);
  });

  it('does not retry what a newer one has come behind', async () => {
    await webhook({});
    const gate = Promise.withResolvers<void>();
    receiver.respondWith(async (request) => {
      if (toldBy(request).change !== 0) return {};
      await gate.promise;
      return { status: 500 };
    });
    const old = await report(service, user, 'one', 0);
    await receiver.waitFor(1);
    const newer = await report(service, user, 'one', 1);
    gate.resolve();
    expect(await finished(service, old)).toMatchObject({
      status: 'CANCELLED',
      attempt_count: 1,
      error: { code: 'superseded' },
      diagnosis: { summary: expect.stringContaining('newer') },
    });
    expect(await finished(service, newer)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('keeps analyses apart that are retried together', async () => {
    await webhook({ retry_schedule_seconds: [0] });
    receiver.respondWith({ status: 500 });
    const ids: string[] = [];
    for (const analysis of ['ana_1', 'ana_2'])
      ids.push(
        await report(service, user, 'one', 1, { event_kind: 'ANALYSIS_FINISHED', analysis_id: analysis }),
      );
    for (const id of ids) expect(await finished(service, id)).toMatchObject({ status: 'FAILED' });
    receiver.respondWith({});
    await service.call('POST', '/v1/webhook/trigger/retry', { ids });
    for (const id of ids) expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('supersedes one that waits for its retry, and a recovery leaves that alone', async () => {
    const { id } = await webhook({});
    const since = new Date(Date.now() - 1000).toISOString();
    receiver.respondWith([{ status: 500 }, {}]);
    const old = await report(service, user, 'one', 0);
    await attempted(service, old);
    const newer = await report(service, user, 'one', 1);
    expect(await finished(service, newer)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await finished(service, old)).toMatchObject({ status: 'CANCELLED' });
    const { body } = await service.call('POST', '/v1/webhook/recover', { id, since, missed: true });
    expect(body).toMatchObject({ total: 0 });
    // Somebody who wants it by all means gets it.
    await service.call('POST', '/v1/webhook/trigger/retry', { id: old });
    expect(await finished(service, old)).toMatchObject({ status: 'SUCCEEDED', error: null });
  });

  it.each([{}, { ordering: 'record' }])(
    'keeps other records, kinds and analyses apart, with %j',
    async (more) => {
      await webhook(more);
      const release = receiver.hold();
      const finish = (analysis: string, change: number) =>
        report(service, user, 'one', change, {
          event_kind: 'ANALYSIS_FINISHED',
          analysis_id: analysis,
          record: { ...record, id: 'one', change },
        });
      const ids = [
        await report(service, user, 'one', 1),
        await report(service, user, 'two', 2),
        await report(service, user, 'one', 3, { event_kind: 'STATUS_CHANGED' }),
        await finish('ana_1', 4),
        await finish('ana_2', 5),
      ];
      await receiver.waitFor('ordering' in more ? 2 : 5);
      const last = await finish('ana_2', 6);
      release();
      await Promise.all([...ids, last].map((id) => finished(service, id)));
      const changes = told().map(({ change }) => change);
      expect([...changes].sort()).toEqual('ordering' in more ? [1, 2, 3, 4, 6] : [1, 2, 3, 4, 5, 6]);
      if ('ordering' in more) expect(changes.filter((change) => change !== 2)).toEqual([1, 3, 4, 6]);
    },
  );
});
