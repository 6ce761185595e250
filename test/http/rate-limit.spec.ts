import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { RateLimitRepository } from '../../src/auth/limits/rate-limit.repository.js';
import { RateLimiter } from '../../src/auth/limits/rate-limiter.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { expectProblem } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { FaultyProxy } from '../support/proxy.js';
import { newUser, notify, record } from '../support/scene.js';
import type { Answer, TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { limits, MINUTE, StillClock, withinMinute } from './minute.js';

const LIST = '/v1/webhook/list';

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);
const allowedOf = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

async function open(url: string): Promise<DataSource> {
  const dataSource = await createDataSource(dataSourceOptions(url)).initialize();
  await dataSource.runMigrations();
  return dataSource;
}

class CountingRepository extends RateLimitRepository {
  statements = 0;

  override reserve(client: string, windowStart: number, calls: number): Promise<number> {
    this.statements++;
    return super.reserve(client, windowStart, calls);
  }
}

describe.each(databases)('the rate limit on $name', (kind) => {
  const database = useDatabase(kind);
  let dataSource: DataSource;
  const clock = new StillClock();

  beforeAll(async () => {
    dataSource = await open(database.url);
    database.defer(() => dataSource.destroy());
  });
  afterEach(async () => {
    await dataSource.query('DELETE FROM webhook_rate_limit');
  });

  function limiter(rateLimitPerMinute: number, source = dataSource): RateLimiter {
    const repository = new RateLimitRepository(new Database(source));
    return new RateLimiter(limits({ rateLimitPerMinute }), clock, repository);
  }

  /** Makes all calls at once. @returns how many are let through. */
  async function allowed(one: RateLimiter, calls: number, client = 'c'): Promise<number> {
    const taken = await Promise.all(Array.from({ length: calls }, () => one.take(client, 'management')));
    return taken.filter((call) => call?.allowed).length;
  }

  const rows = () =>
    dataSource.query<{ window_start: number | string; calls: number }[]>(
      'SELECT window_start, calls FROM webhook_rate_limit ORDER BY window_start',
    );

  it.each([1, 3, 19, 20, 40, 599, 600])('lets exactly %d calls at once through', async (limit) => {
    const one = limiter(limit);
    expect(await allowed(one, limit + 50)).toBe(limit);
    expect(await allowed(one, 1)).toBe(0);
    expect(await allowed(one, 1, 'another')).toBe(1);
  });

  it('starts again with each minute', async () => {
    const one = limiter(5);
    clock.pass(MINUTE - (clock.now() % MINUTE) + 20_000);
    expect(await allowed(one, 6)).toBe(5);
    expect(await one.take('c', 'management')).toMatchObject({
      allowed: false,
      resetSeconds: 40,
      headers: { 'RateLimit-Policy': '"management";q=5;w=60', RateLimit: '"management";r=0;t=40' },
    });
    clock.pass(39_999);
    expect(await allowed(one, 1)).toBe(0);
    clock.pass(1);
    expect(await allowed(one, 6)).toBe(5);
  });

  it('reports how many calls are left', async () => {
    const one = limiter(100);
    const left: number[] = [];
    for (let n = 0; n < 8; n++) {
      const taken = await one.take('c', 'management');
      left.push(Number(/r=(\d+)/.exec(taken?.headers.RateLimit ?? '')?.[1]));
    }
    expect(left).toEqual([99, 98, 97, 96, 95, 94, 93, 92]);
  });

  it('writes nothing to the database when switched off', async () => {
    const one = limiter(0);
    expect(one.take('c', 'management')).toBeNull();
    expect(one.take('c', 'notification')).toBeNull();
    expect(await rows()).toEqual([]);
  });

  if (kind.name === 'SQLite') {
    it('is kept in memory', async () => {
      expect(await allowed(limiter(600), 700)).toBe(600);
      expect(await rows()).toEqual([]);
    });
    return;
  }

  it('is shared by all instances', async () => {
    const instances = [limiter(600), limiter(600), limiter(600)];
    const counts = await Promise.all(instances.map((one) => allowed(one, 700)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(600);
  });

  it('is reserved a twentieth at a time, even if an instance does not use its share', async () => {
    const [idle, busy] = [limiter(600), limiter(600)];
    expect(await allowed(idle, 1)).toBe(1);
    expect(await allowed(busy, 700)).toBe(570);
    expect(await allowed(idle, 700)).toBe(29);
  });

  it('needs one statement per twentieth of it', async () => {
    const repository = new CountingRepository(new Database(dataSource));
    const one = new RateLimiter(limits({ rateLimitPerMinute: 600 }), clock, repository);
    expect(await allowed(one, 300)).toBe(300);
    expect(repository.statements).toBe(10);
    expect(await rows()).toMatchObject([{ calls: 300 }]);
  });

  it('is counted correctly when instances reserve at the same moment', async () => {
    const other = await open(database.url);
    database.defer(() => other.destroy());
    const repositories = [dataSource, other].map((source) => new RateLimitRepository(new Database(source)));
    const before = await Promise.all(
      Array.from({ length: 100 }, (_, n) => repositories[n % 2]?.reserve('c', 60_000, 3)),
    );
    expect(before.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n * 3));
  });

  it('applies per instance while the database is unreachable', async () => {
    const { proxy, url } = await FaultyProxy.before(database.url);
    const away = await open(url);
    database.defer(() => proxy.close());
    database.defer(() => away.destroy());
    const one = limiter(40, away);
    expect(await allowed(one, 10)).toBe(10);
    proxy.refuse();
    expect(await allowed(one, 100)).toBe(30);
    expect(await allowed(one, 1, 'another')).toBe(1);
  });

  it('deletes the counts of past minutes', async () => {
    const one = limiter(10);
    await allowed(one, 1);
    const [first] = await rows();
    clock.pass(2 * MINUTE);
    await allowed(one, 1);
    expect(await rows()).toHaveLength(2);
    clock.pass(4 * MINUTE);
    await allowed(one, 1);
    await until(async () => (await rows()).every((row) => row.window_start !== first?.window_start));
    expect(await rows()).toHaveLength(2);
  });
});

describe.each(databases)('the rate limit of the service on $name', (kind) => {
  const database = useDatabase(kind);

  if (kind.name === 'MariaDB') {
    it('is the same for two instances as for one', async () => {
      const env = { RATE_LIMIT_PER_MINUTE: '40' };
      const [first, second] = [await database.start(env), await database.start(env)];
      const call = (service: TestService, key: string) => service.call('GET', LIST, undefined, { key });
      const answers = await withinMinute(async () => {
        const key = await first.keyFor(newUser(), 'webhooks:read');
        return Promise.all(Array.from({ length: 100 }, (_, n) => call(n % 2 ? first : second, key)));
      });
      expect(new Set(statusesOf(answers))).toEqual(new Set([200, 429]));
      expect(allowedOf(answers)).toBe(40);
      const refused = answers.find(({ status }) => status === 429) as Answer;
      expectProblem(refused, 429, 'rate_limited');
      expect(refused.headers.get('ratelimit')).toMatch(/^"management";r=0;t=\d+$/);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    });
  }

  it('can be set separately for notifications', async () => {
    const service = await database.start({ NOTIFICATION_RATE_LIMIT_PER_MINUTE: '3' });
    const answers = await withinMinute(async () => {
      const key = await service.keyFor(newUser(), 'notifications:write');
      const made: Answer[] = [];
      for (let n = 0; n < 4; n++) {
        const body = { event_kind: 'RECORD_FINISHED', user_id: newUser(), record };
        made.push(await service.call('POST', '/v1/notification', body, { key }));
      }
      return made;
    });
    expect(statusesOf(answers)).toEqual([202, 202, 202, 429]);
    expect(answers[3]?.headers.get('ratelimit-policy')).toBe('"notification";q=3;w=60');
    expectProblem(answers[3] as Answer, 429, 'rate_limited');
  });

  it('writes nothing when there is no limit', async () => {
    const dataSource = await open(database.url);
    database.defer(() => dataSource.destroy());
    const rows = () => dataSource.query('SELECT * FROM webhook_rate_limit');
    const before = await rows();
    const service = await database.start({});
    for (let n = 0; n < 5; n++) expect((await notify(service, newUser())).status).toBe(202);
    expect((await service.call('GET', LIST)).status).toBe(200);
    expect(await rows()).toEqual(before);
  });
});
