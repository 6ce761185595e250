import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { RateLimitRepository } from '../src/auth/rate-limit.repository.js';
import { RateLimiter } from '../src/auth/rate-limiter.js';
import { UnauthenticatedCalls } from '../src/auth/unauthenticated-calls.js';
import type { Clock } from '../src/common/clock.js';
import type { Settings } from '../src/config/settings.js';
import { createDataSource, dataSourceOptions } from '../src/database/data-source.js';
import { Database } from '../src/database/database.js';
import { expectProblem } from './support/api.js';
import { databases, type TestDatabase } from './support/databases.js';
import { FaultyProxy } from './support/proxy.js';
import { newUser, notify, record } from './support/scene.js';
import { ADMIN_KEY, type Answer, startService, type TestService } from './support/service.js';
import { until } from './support/until.js';

const LIST = '/v1/webhook/list';
const MINUTE = 60_000;

const minute = () => Math.floor(Date.now() / MINUTE);

/** Again where a minute ended in between, and the count with it. */
function withinMinute<T>(work: () => Promise<T>): Promise<NonNullable<T>> {
  return until(
    async () => {
      const start = minute();
      const result = await work();
      return minute() === start ? result : null;
    },
    { withinMs: 25_000 },
  );
}

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);
const allowedOf = (answers: Answer[]) => answers.filter(({ status }) => status === 200).length;

async function open(url: string): Promise<DataSource> {
  const dataSource = await createDataSource(dataSourceOptions(url)).initialize();
  await dataSource.runMigrations();
  return dataSource;
}

/** Time that only the test moves. */
class TestClock implements Clock {
  constructor(private time = 1_795_219_200_000) {}
  now = () => this.time;
  after = () => () => {};
  pass(ms: number): void {
    this.time += ms;
  }
}

class CountingRepository extends RateLimitRepository {
  statements = 0;

  override reserve(client: string, windowStart: number, calls: number): Promise<number> {
    this.statements++;
    return super.reserve(client, windowStart, calls);
  }
}

const settings = (limits: Partial<Settings>) =>
  ({ rateLimitPerMinute: 0, notificationRateLimitPerMinute: 0, ...limits }) as Settings;

describe.each(databases)('the rate limit on $name', (kind) => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const clock = new TestClock();
  let cleanUp: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await kind.create();
    dataSource = await open(database.url);
  });
  afterEach(async () => {
    for (const step of cleanUp) await step();
    cleanUp = [];
    await dataSource.query('DELETE FROM webhook_rate_limit');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  function limiter(rateLimitPerMinute: number, source = dataSource): RateLimiter {
    const repository = new RateLimitRepository(new Database(source));
    return new RateLimiter(settings({ rateLimitPerMinute }), clock, repository);
  }

  /** How many of so many calls at once are let through. */
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

  it('begins anew with each minute', async () => {
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

  it('tells how many calls are left', async () => {
    const one = limiter(100);
    const left: number[] = [];
    for (let n = 0; n < 8; n++) {
      const taken = await one.take('c', 'management');
      left.push(Number(/r=(\d+)/.exec(taken?.headers.RateLimit ?? '')?.[1]));
    }
    expect(left).toEqual([99, 98, 97, 96, 95, 94, 93, 92]);
  });

  it('costs nothing where there is none', async () => {
    const one = limiter(0);
    expect(one.take('c', 'management')).toBeNull();
    expect(one.take('c', 'notification')).toBeNull();
    expect(await rows()).toEqual([]);
  });

  if (kind.name === 'SQLite') {
    it('is a matter of memory', async () => {
      expect(await allowed(limiter(600), 700)).toBe(600);
      expect(await rows()).toEqual([]);
    });
    return;
  }

  it('is one for all instances', async () => {
    const instances = [limiter(600), limiter(600), limiter(600)];
    const counts = await Promise.all(instances.map((one) => allowed(one, 700)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(600);
  });

  it('is kept a twentieth at a time for an instance that may not use it', async () => {
    const [idle, busy] = [limiter(600), limiter(600)];
    expect(await allowed(idle, 1)).toBe(1);
    expect(await allowed(busy, 700)).toBe(570);
    expect(await allowed(idle, 700)).toBe(29);
  });

  it('costs a statement for a twentieth of it', async () => {
    const repository = new CountingRepository(new Database(dataSource));
    const one = new RateLimiter(settings({ rateLimitPerMinute: 600 }), clock, repository);
    expect(await allowed(one, 300)).toBe(300);
    expect(repository.statements).toBe(10);
    expect(await rows()).toMatchObject([{ calls: 300 }]);
  });

  it('is counted right by instances that reserve at the same moment', async () => {
    const other = await open(database.url);
    cleanUp = [() => other.destroy()];
    const repositories = [dataSource, other].map((source) => new RateLimitRepository(new Database(source)));
    const before = await Promise.all(
      Array.from({ length: 100 }, (_, n) => repositories[n % 2]?.reserve('c', 60_000, 3)),
    );
    expect(before.sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n * 3));
  });

  it('holds for each instance by itself while the database is away', async () => {
    const { proxy, url } = await FaultyProxy.before(database.url);
    const away = await open(url);
    cleanUp = [() => away.destroy(), () => proxy.close()];
    const one = limiter(40, away);
    expect(await allowed(one, 10)).toBe(10);
    proxy.refuse();
    expect(await allowed(one, 100)).toBe(30);
    expect(await allowed(one, 1, 'another')).toBe(1);
  });

  it('forgets minutes that are long over', async () => {
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
  let database: TestDatabase;
  let services: TestService[] = [];

  beforeAll(async () => {
    database = await kind.create();
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.stop()));
    services = [];
  });
  afterAll(() => database.drop());

  async function start(env: Record<string, string>): Promise<TestService> {
    const service = await startService(database.url, env);
    services.push(service);
    return service;
  }

  if (kind.name === 'MariaDB') {
    it('is the same for two instances together as for one', async () => {
      const env = { RATE_LIMIT_PER_MINUTE: '40' };
      const [first, second] = [await start(env), await start(env)];
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

  it('can be set for notifications', async () => {
    const service = await start({ NOTIFICATION_RATE_LIMIT_PER_MINUTE: '3' });
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

  it('writes nothing where there is none', async () => {
    const dataSource = await open(database.url);
    const rows = () => dataSource.query('SELECT * FROM webhook_rate_limit');
    const before = await rows();
    const service = await start({});
    for (let n = 0; n < 5; n++) expect((await notify(service, newUser())).status).toBe(202);
    expect((await service.call('GET', LIST)).status).toBe(200);
    expect(await rows()).toEqual(before);
    await dataSource.destroy();
  });
});

describe.each(databases)('calls without a valid key on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService | undefined;

  beforeAll(async () => {
    database = await kind.create();
  });
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });
  afterAll(() => database.drop());

  const start = async (env: Record<string, string>) => {
    service = await startService(database.url, env);
    return service;
  };
  const from = (service: TestService, address: string, key: string | null) =>
    service.call('GET', LIST, undefined, { key, headers: { 'x-forwarded-for': address } });
  let guesses = 0;
  const guess = () => `whk_${String(++guesses).padStart(43, 'x')}`;

  const PROXY = { TRUSTED_PROXIES: '127.0.0.1', UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' };
  let addresses = 0;
  const newAddress = () => `198.51.100.${++addresses}`;

  it('are refused past the limit, and say when to come again', async () => {
    const service = await start(PROXY);
    const answers = await withinMinute(async () => {
      const address = newAddress();
      const made: Answer[] = [];
      for (const key of [guess(), null, guess(), guess(), null]) made.push(await from(service, address, key));
      return made;
    });
    expect(statusesOf(answers)).toEqual([401, 401, 401, 429, 429]);
    for (const answer of answers.slice(3)) {
      expectProblem(answer, 429, 'rate_limited');
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
    }
  });

  it('are counted exactly where they come all at once', async () => {
    const service = await start(PROXY);
    const answers = await withinMinute(async () => {
      const address = newAddress();
      return Promise.all(Array.from({ length: 20 }, () => from(service, address, guess())));
    });
    expect(statusesOf(answers).sort()).toEqual([401, 401, 401, ...Array(17).fill(429)]);
  });

  it('do not lock out keys in use, not even a stranger at the same address', async () => {
    const service = await start(PROXY);
    const statuses = await withinMinute(async () => {
      const [address, other] = [newAddress(), newAddress()];
      const { body } = await service.call('POST', '/v1/api-key', { user_id: 'x', scopes: ['webhooks:read'] });
      const unused = await service.keyFor(newUser(), 'webhooks:read');
      const made = [await from(service, other, body.key)];
      for (let n = 0; n < 4; n++) made.push(await from(service, address, guess()));
      made.push(await from(service, address, body.key));
      // Never seen here, it cannot be told from a guess.
      made.push(await from(service, address, unused), await from(service, other, unused));
      await service.call('DELETE', `/v1/api-key?id=${body.id}`);
      made.push(await from(service, address, body.key), await from(service, other, body.key));
      return statusesOf(made);
    });
    expect(statuses).toEqual([200, 401, 401, 401, 429, 200, 429, 200, 429, 401]);
  });

  it('count for the /64 of an IPv6 address', async () => {
    const service = await start(PROXY);
    let networks = 0;
    const statuses = await withinMinute(async () => {
      const network = `2001:db8:0:${++networks}`;
      const made: Answer[] = [];
      for (const host of ['::1', ':a::1', ':b:c:d:e', '::2']) {
        made.push(await from(service, network + host, guess()));
      }
      made.push(await from(service, `2001:db8:1:${networks}::1`, guess()));
      return statusesOf(made);
    });
    expect(statuses).toEqual([401, 401, 401, 429, 401]);
  });

  it('cannot choose their address', async () => {
    const service = await start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' });
    const statuses = await withinMinute(async () => {
      const made: Answer[] = [];
      for (let n = 0; n < 5; n++) made.push(await from(service, newAddress(), guess()));
      return statusesOf(made);
    });
    // A minute that ended in between may have left some of the failures to the next try.
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect((await service.call('GET', '/health/live', undefined, { key: null })).status).toBe(200);
  });

  it('are without a limit where it is 0', async () => {
    const service = await start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0' });
    for (let n = 0; n < 100; n++) {
      expect((await service.call('GET', LIST, undefined, { key: guess() })).status).toBe(401);
    }
    expect((await service.call('GET', LIST, undefined, { key: ADMIN_KEY })).status).toBe(200);
  });
});

describe('the count of calls without a valid key', () => {
  it('is exact where calls are let in at once and fail later', () => {
    const calls = new UnauthenticatedCalls(
      settings({ unauthenticatedRateLimitPerMinute: 3 }),
      new TestClock(),
    );
    const failures: boolean[] = [];
    for (let n = 0; n < 20; n++) calls.admit('192.0.2.1', null);
    for (let n = 0; n < 20; n++) {
      try {
        calls.failed('192.0.2.1', null);
        failures.push(true);
      } catch (error) {
        expect(error).toMatchObject({ status: 429 });
      }
    }
    expect(failures).toHaveLength(3);
  });

  it('is bounded in memory, and ends with the minute', () => {
    const clock = new TestClock();
    const calls = new UnauthenticatedCalls(settings({ unauthenticatedRateLimitPerMinute: 1 }), clock);
    const isAdmitted = (address: string) => {
      try {
        calls.admit(address, null);
        return true;
      } catch {
        return false;
      }
    };
    for (let n = 0; n <= 10_000; n++) calls.failed(`10.0.${n >> 8}.${n & 255}`, null);
    expect(isAdmitted('10.0.0.0')).toBe(true);
    expect(isAdmitted('10.0.0.1')).toBe(false);
    expect(isAdmitted('10.0.39.16')).toBe(false);
    clock.pass(MINUTE);
    expect(isAdmitted('10.0.39.16')).toBe(true);
  });
});
