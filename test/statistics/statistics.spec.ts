import { beforeAll, describe, expect, it } from '@jest/globals';
import { StatisticAdding } from '../../src/engine/counts/adding.js';
import { type CountedAttempt, deltasOf } from '../../src/engine/counts/delta.js';
import { OldStatisticRepository } from '../../src/engine/counts/old-statistic.repository.js';
import { Database } from '../../src/store/database.js';
import { ADMIN_KEY } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const NOTHING = {
  ...{ attempts: 0, succeeded: 0, failed: 0, exhausted: 0, by_code: {} },
  ...{ p50_ms: null, p95_ms: null, p99_ms: null },
};

const iso = (time: number) => new Date(time).toISOString();
const ago = (ms: number) => iso(Date.now() - ms);
const NOW = ago(0);

describe.each(databases)('statistics on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.2' });
  const receiver = useReceiver();
  let user: string;
  let key: string;
  let good: string;
  let bad: string;

  const stats = (query: Record<string, string> = {}, as = key) =>
    service.call('GET', `/v1/webhook/stats?${new URLSearchParams(query)}`, undefined, { key: as });
  const total = async (query: Record<string, string> = {}, as = key) => (await stats(query, as)).body.total;
  const left = async () =>
    Number((await service.query('SELECT COUNT(*) AS count FROM webhook_statistic_delta'))[0].count);

  /** Stores counts as a settlement does. */
  const count = (...attempts: CountedAttempt[]) =>
    service.get(Database).writeTogether([deltasOf([attempts])]);
  const attempt = (userId: string, endAt: number, more: Partial<CountedAttempt> = {}): CountedAttempt => ({
    // A webhook has one user.
    ...{ userId, webhookId: userId.slice(-36), eventKind: 'RECORD_FINISHED' },
    ...{ beginAt: endAt - 10, endAt, outcome: '200', exhausted: false },
    ...more,
  });
  async function addAll(): Promise<void> {
    while (await service.get(StatisticAdding).addSome());
  }

  beforeAll(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read', 'webhooks:write');
    receiver.respondWith('/bad', { status: 503 });
    good = (await createWebhook(service, { url: `${receiver.url}/good` }, key)).id;
    bad = (await createWebhook(service, { url: `${receiver.url}/bad`, events: ['RECORD_FINISHED'] }, key)).id;
    const { body } = await notify(service, user);
    for (const { id } of body.triggers) await finished(service, id);
    const test = await service.call('POST', '/v1/webhook/test', { id: good }, { key });
    await finished(service, test.body.id);
  });

  it('count each attempt by how it ended', async () => {
    const hour = () => iso(Math.floor(Date.now() / HOUR) * HOUR);
    const begun = hour();
    const { body } = await stats();
    expect(body.data).toHaveLength(25);
    const counts = { attempts: 4, succeeded: 2, failed: 2, exhausted: 1 };
    expect(body.total).toMatchObject({ ...counts, by_code: { 200: 2, 503: 2 } });
    // An hour may end meanwhile.
    expect([begun, hour()]).toContain(body.data.at(-1).begin);
    expect(body.total.p50_ms).toBeLessThanOrEqual(body.total.p99_ms);
    for (const step of body.data)
      if (step.attempts === 0) expect(step).toEqual({ ...NOTHING, begin: step.begin });
  });

  it('count the attempts of one webhook, of one kind, or of both', async () => {
    expect(await total({ id: bad })).toMatchObject({ attempts: 2, failed: 2, exhausted: 1 });
    expect(await total({ id: good })).toMatchObject({ attempts: 2, succeeded: 2 });
    expect(await total({ event_kind: 'WEBHOOK_TEST' })).toMatchObject({ attempts: 1, by_code: { 200: 1 } });
    expect(await total({ event_kind: 'RECORD_FINISHED' })).toMatchObject({ attempts: 3 });
    expect(await total({ id: good, event_kind: 'RECORD_FINISHED' })).toMatchObject({ attempts: 1 });
    expect(await total({ event_kind: 'NEVER_SEEN' })).toEqual(NOTHING);
  });

  it('count an attempt without an answer by its error', async () => {
    const own = newUser();
    const { id } = await createWebhook(service, { user_id: own, url: 'http://127.0.0.1:31151/' });
    await finished(service, await trigger(service, own));
    expect(await total({ id }, ADMIN_KEY)).toMatchObject({ attempts: 2, by_code: { connection_refused: 2 } });
  });

  it('are the same before and after they are added up', async () => {
    const own = newUser();
    expect(await total({ user_id: own }, ADMIN_KEY)).toEqual(NOTHING);
    const endAt = Date.now();
    await count(attempt(own, endAt), attempt(own, endAt, { outcome: 'timeout', exhausted: true }));
    await count(attempt(own, endAt - DAY), attempt(own, endAt, { beginAt: endAt - 20_000 }));
    const answers = async () => {
      const of = { user_id: own, until: iso(endAt) };
      const minutes = { ...of, step: 'minute', since: iso(endAt - HOUR) };
      const found = [of, { ...of, step: 'day' }, minutes].map((query) => stats(query, ADMIN_KEY));
      return (await Promise.all(found)).map(({ body }) => body);
    };
    const first = await answers();
    await addAll();
    expect(await left()).toBe(0);
    expect(await answers()).toEqual(first);
    const counts = { attempts: 4, exhausted: 1, by_code: { 200: 3, timeout: 1 } };
    expect(first[0].total).toMatchObject({ ...counts, p50_ms: 10 });
    expect(Math.abs(first[0].total.p99_ms - 20_000)).toBeLessThanOrEqual(1000);
  });

  it('are added up in the background', async () => {
    await count(attempt(newUser(), Date.now()));
    await until(async () => (await left()) === 0);
  });

  it('have a step for each minute, hour or day, from the one of "since" to the one of "until"', async () => {
    const own = newUser();
    const begin = Math.floor((Date.now() - 3 * HOUR) / HOUR) * HOUR;
    await count(attempt(own, begin), attempt(own, begin + HOUR - 1), attempt(own, begin + HOUR));
    await count(attempt(own, begin - 1));
    const beginsOf = async (query: Record<string, string>) => {
      const { body } = await stats({ user_id: own, ...query }, ADMIN_KEY);
      return body.data.map(({ begin: at, attempts }: { begin: string; attempts: number }) => [at, attempts]);
    };
    const [whole, next] = [iso(begin), iso(begin + HOUR)];
    expect(await beginsOf({ since: iso(begin + 1), until: next })).toEqual([
      [whole, 2],
      [next, 1],
    ]);
    expect(await beginsOf({ since: iso(begin + 1), until: iso(begin + HOUR - 1) })).toEqual([[whole, 2]]);
    const minutes = await beginsOf({ step: 'minute', since: whole, until: iso(begin + 2 * MINUTE) });
    expect(minutes).toEqual([0, 1, 2].map((index) => [iso(begin + index * MINUTE), index === 0 ? 1 : 0]));
    const day = iso(Math.floor(begin / DAY) * DAY);
    expect(await beginsOf({ step: 'day', since: day, until: day })).toEqual([[day, expect.any(Number)]]);
  });

  it('may reach into the future', async () => {
    const { body } = await stats({ until: ago(-2 * HOUR) });
    expect(body.data).toHaveLength(25);
    expect(body.total.attempts).toBe(4);
    expect(await total({ since: ago(-DAY), until: ago(-2 * DAY) })).toEqual(NOTHING);
  });

  it.each<[string, () => Record<string, string>, string, RegExp]>([
    ['old minutes', () => ({ step: 'minute', since: ago(3 * DAY) }), '?since', /2 days; ask for "step=hour"/],
    ['old hours', () => ({ since: ago(36 * DAY) }), '?since', /35 days; ask for "step=day"/],
    ['old days', () => ({ step: 'day', since: ago(402 * DAY) }), '?since', /400 days; give a later "since"/],
    [
      '1,502 minutes',
      () => ({ step: 'minute', since: ago(1501 * MINUTE) }),
      '?step',
      /at most 1500.*longer step/,
    ],
    ['a begin in the future', () => ({ since: ago(-HOUR) }), '?since', /must not be after "until"/],
    [
      'an end before the begin',
      () => ({ since: NOW, until: iso(Date.parse(NOW) - 1) }),
      '?since',
      /must not be after/,
    ],
    ['millennia', () => ({ since: ago(0), until: '9999-12-31T23:59:59Z' }), '?step', /shorter span/],
    ['an unknown step', () => ({ step: 'week' }), '?step', /must be one of minute, hour, day/],
    [
      'a kind in lower case',
      () => ({ event_kind: 'record_finished' }),
      '?event_kind',
      /must be an event kind/,
    ],
    ['a blank kind', () => ({ event_kind: ' ' }), '?event_kind', /must be an event kind/],
    ['what is no id', () => ({ id: 'x' }), '?id', /must be an id/],
    ['an unknown field', () => ({ limit: '1' }), '?limit', /not a known field/],
  ])('refuse %s, and name the way out', async (_what, query, pointer, message) => {
    const { status, body } = await stats(query());
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer, message: expect.stringMatching(message) }]);
  });

  it('answer 1,500 minutes, and spans as long as their steps are kept', async () => {
    const now = Date.now();
    for (const [step, span, steps] of [
      ['minute', 1499 * MINUTE, 1500],
      ['hour', 35 * DAY, 35 * 24 + 1],
      ['day', 400 * DAY, 401],
    ] as const) {
      const { status, body } = await stats({ step, since: iso(now - span), until: iso(now) });
      expect([status, body.data.length]).toEqual([200, steps]);
    }
    expect((await stats({ step: 'minute', since: ago(2 * DAY), until: ago(DAY) })).status).toBe(200);
  });

  it('count for an admin one user, or all of them', async () => {
    expect(await total({ user_id: user }, ADMIN_KEY)).toMatchObject({ attempts: 4 });
    expect(await total({ user_id: user, id: good }, ADMIN_KEY)).toMatchObject({ attempts: 2 });
    expect((await stats({ user_id: newUser(), id: good }, ADMIN_KEY)).status).toBe(404);
    expect(await total({ event_kind: 'WEBHOOK_TEST' }, ADMIN_KEY)).toMatchObject({ attempts: 1 });
    expect((await total({}, ADMIN_KEY)).attempts).toBeGreaterThan(4);
  });

  it('keep the attempts of a deleted webhook in the totals of its user', async () => {
    const own = newUser();
    const { id } = await createWebhook(service, { user_id: own, url: `${receiver.url}/good` });
    await finished(service, await trigger(service, own));
    await addAll();
    await service.call('DELETE', `/v1/webhook?id=${id}`);
    expect((await stats({ id }, ADMIN_KEY)).status).toBe(404);
    expect(await total({ user_id: own }, ADMIN_KEY)).toMatchObject({ attempts: 1, succeeded: 1 });
  });

  it('forget what is older than it is kept, and nothing else', async () => {
    const [own, now] = [newUser(), Date.now()];
    await count(...[1, 3, 34, 37, 399, 405].map((days) => attempt(own, now - days * DAY)));
    await addAll();
    while (await service.get(OldStatisticRepository).deleteSome(now));
    const rows = await service.query<{ step: string }>(
      `SELECT step FROM webhook_statistic WHERE user_id = ? AND webhook_id = '' AND event_kind = ''`,
      [own],
    );
    const kept = (step: string) => rows.filter((row) => row.step === step).length;
    expect([kept('minute'), kept('hour'), kept('day')]).toEqual([1, 3, 5]);
    const days = { user_id: own, step: 'day', since: iso(now - 400 * DAY) };
    expect(await total(days, ADMIN_KEY)).toMatchObject({ attempts: 5 });
  });
});
