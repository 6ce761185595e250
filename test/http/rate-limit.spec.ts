import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RateLimitRepository } from '../../src/auth/limits/rate-limit.repository.js';
import { RateLimiter } from '../../src/auth/limits/rate-limiter.js';
import { windowStartAt } from '../../src/auth/limits/rate-window.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useDatabase, useSharing, useTestClock } from '../support/fixture.js';
import { proxied } from '../support/proxy.js';
import { newUser, notify, notifyTimes } from '../support/scene.js';
import type { Answer, TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { limits, MINUTE } from './minute.js';

const LIST = '/v1/webhook/list';

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

describe.each(databases)('the rate limit on $name', (kind) => {
  const [service, other] = useSharing(kind);
  const clock = new TestClock();
  let repository: RateLimitRepository;

  beforeEach(() => {
    repository = new RateLimitRepository(service.get(Database));
  });
  afterEach(async () => {
    await service.query('DELETE FROM webhook_rate_limit');
  });

  const limiter = (rateLimitPerMinute: number, from = repository) =>
    new RateLimiter(limits({ rateLimitPerMinute }), clock, from);

  /** Makes all calls at once. @returns how many are let through. */
  async function allowed(one: RateLimiter, calls: number, client = 'c'): Promise<number> {
    const taken = await Promise.all(Array.from({ length: calls }, () => one.take(client, 'management')));
    return taken.filter((call) => call?.allowed).length;
  }

  const rows = () =>
    service.query<{ window_start: number | string; calls: number }>(
      'SELECT window_start, calls FROM webhook_rate_limit ORDER BY window_start',
    );

  it.each([1, 3, 19, 20, 40, 599, 600])('lets exactly %d calls at once through', async (limit) => {
    const one = limiter(limit);
    expect(await allowed(one, limit + 50)).toBe(limit);
    expect(await allowed(one, 1)).toBe(0);
    expect(await allowed(one, 1, 'another')).toBe(1);
  });

  if (kind.name === 'SQLite') {
    it('is kept in memory', async () => {
      expect(await allowed(limiter(600), 700)).toBe(600);
      expect(await rows()).toEqual([]);
    });
    return;
  }

  it('is reserved a twentieth at a time, even if an instance does not use its share', async () => {
    const [idle, busy] = [limiter(600), limiter(600)];
    expect(await allowed(idle, 1)).toBe(1);
    expect(await allowed(busy, 700)).toBe(570);
    expect(await allowed(idle, 700)).toBe(29);
  });

  it('needs one statement per twentieth of it', async () => {
    const reserve = jest.spyOn(repository, 'reserve');
    expect(await allowed(limiter(600), 300)).toBe(300);
    expect(reserve).toHaveBeenCalledTimes(10);
    expect(await rows()).toMatchObject([{ calls: 300 }]);
  });

  it('is counted correctly when instances reserve at the same moment', async () => {
    const both = [repository, new RateLimitRepository((other ?? service).get(Database))];
    // Past ones may still be being deleted, as an earlier limiter asked for.
    const window = windowStartAt(clock.now());
    const before = await Promise.all(
      Array.from({ length: 100 }, (_, n) => both[n % 2]?.reserve('c', window, 3)),
    );
    expect(before.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n * 3));
  });

  it('applies per instance while the database is unreachable', async () => {
    const { proxy, url } = await proxied(service.database);
    const away = await createDataSource(dataSourceOptions(url)).initialize();
    service.database.defer(() => away.destroy());
    const one = limiter(40, new RateLimitRepository(new Database(away)));
    expect(await allowed(one, 10)).toBe(10);
    proxy.refuse();
    expect(await allowed(one, 100)).toBe(30);
    expect(await allowed(one, 1, 'another')).toBe(1);
  });

  it('deletes the counts of past minutes', async () => {
    const one = limiter(10);
    await allowed(one, 1);
    const [first] = await rows();
    clock.advance(2 * MINUTE);
    await allowed(one, 1);
    expect(await rows()).toHaveLength(2);
    clock.advance(4 * MINUTE);
    await allowed(one, 1);
    await until(async () => (await rows()).every((row) => row.window_start !== first?.window_start));
    expect(await rows()).toHaveLength(2);
  });
});

describe.each(databases)('the rate limit of the service on $name', (kind) => {
  const clock = useTestClock();
  const database = useDatabase(kind, 'block', 'migrated');

  const list = (service: TestService, key: string) => service.call('GET', LIST, undefined, { key });

  it('applies to each key, says what is left, and starts again with each minute', async () => {
    const service = await database.start({ RATE_LIMIT_PER_MINUTE: '3' });
    const [key, other] = [
      await service.keyFor(newUser(), 'webhooks:read'),
      await service.keyFor(newUser(), 'webhooks:read'),
    ];
    clock.advance(MINUTE - (clock.now() % MINUTE) + 20_000);
    const answers: Answer[] = [];
    for (let n = 0; n < 4; n++) answers.push(await list(service, key));
    const refused = answers[3] as Answer;
    expect(statusesOf(answers)).toEqual([200, 200, 200, 429]);
    expectProblem(refused, 429, 'rate_limited');
    const header = (name: string) => answers.map(({ headers }) => headers.get(name));
    expect(header('ratelimit-policy')).toEqual(Array(4).fill('"management";q=3;w=60'));
    expect(header('ratelimit')).toEqual([2, 1, 0, 0].map((left) => `"management";r=${left};t=40`));
    expect(header('retry-after')).toEqual([null, null, null, '40']);
    expect((await list(service, other)).status).toBe(200);
    clock.advance(39_999);
    expect((await list(service, key)).status).toBe(429);
    clock.advance(1);
    expect((await list(service, key)).status).toBe(200);
  });

  if (kind.name === 'MariaDB') {
    it('is the same for two instances as for one', async () => {
      const env = { RATE_LIMIT_PER_MINUTE: '40' };
      const [first, second] = [await database.start(env), await database.start(env)];
      const key = await first.keyFor(newUser(), 'webhooks:read');
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => list(n % 2 ? first : second, key)),
      );
      expect(statusesOf(answers).sort()).toEqual([...Array(40).fill(200), ...Array(60).fill(429)]);
    });
  }

  it('can be set separately for notifications, to which that of other calls does not apply', async () => {
    const notified = async (env: Record<string, string>) => {
      const service = await database.start(env);
      const answers = await notifyTimes(5, service, newUser());
      await service.stop();
      return {
        statuses: statusesOf(answers).sort(),
        policy: answers[0]?.headers.get('ratelimit-policy') ?? null,
      };
    };
    expect(await notified({ RATE_LIMIT_PER_MINUTE: '3' })).toEqual({
      statuses: [202, 202, 202, 202, 202],
      policy: null,
    });
    expect(await notified({ NOTIFICATION_RATE_LIMIT_PER_MINUTE: '3' })).toEqual({
      statuses: [202, 202, 202, 429, 429],
      policy: '"notification";q=3;w=60',
    });
  });

  it('writes nothing when there is no limit', async () => {
    const service = await database.start();
    const rows = () => service.query('SELECT * FROM webhook_rate_limit');
    const before = await rows();
    expect((await notify(service, newUser())).status).toBe(202);
    expect((await service.call('GET', LIST)).status).toBe(200);
    expect(await rows()).toEqual(before);
  });
});
