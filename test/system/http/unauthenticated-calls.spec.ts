import { describe, expect, it } from '@jest/globals';
import { UnauthenticatedCalls } from '../../../src/auth/limits/unauthenticated-calls.js';
import { limits, MINUTE, StillClock, withinMinute } from '../../http/minute.js';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { ADMIN_KEY, type Answer, type TestService } from '../../support/service.js';

const LIST = '/v1/webhook/list';

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

describe.each(databases)('calls without a valid key on $name', (kind) => {
  const database = useDatabase(kind);

  const from = (service: TestService, address: string, key: string | null) =>
    service.call('GET', LIST, undefined, { key, headers: { 'x-forwarded-for': address } });
  let guesses = 0;
  const guess = () => `whk_${String(++guesses).padStart(43, 'x')}`;

  const PROXY = { TRUSTED_PROXIES: '127.0.0.1', UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' };
  let addresses = 0;
  const newAddress = () => `198.51.100.${++addresses}`;

  it('are refused above the limit, with the time to retry', async () => {
    const service = await database.start(PROXY);
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

  it('are counted exactly when they all arrive at once', async () => {
    const service = await database.start(PROXY);
    const answers = await withinMinute(async () => {
      const address = newAddress();
      return Promise.all(Array.from({ length: 20 }, () => from(service, address, guess())));
    });
    expect(statusesOf(answers).sort()).toEqual([401, 401, 401, ...Array(17).fill(429)]);
  });

  it('do not lock out keys in use, even at the same address', async () => {
    const service = await database.start(PROXY);
    const statuses = await withinMinute(async () => {
      const [address, other] = [newAddress(), newAddress()];
      const { body } = await service.call('POST', '/v1/api-key', { user_id: 'x', scopes: ['webhooks:read'] });
      const unused = await service.keyFor(newUser(), 'webhooks:read');
      const made = [await from(service, other, body.key)];
      for (let n = 0; n < 4; n++) made.push(await from(service, address, guess()));
      made.push(await from(service, address, body.key));
      // A key this instance has never seen looks like a guess.
      made.push(await from(service, address, unused), await from(service, other, unused));
      await service.call('DELETE', `/v1/api-key?id=${body.id}`);
      made.push(await from(service, address, body.key), await from(service, other, body.key));
      return statusesOf(made);
    });
    expect(statuses).toEqual([200, 401, 401, 401, 429, 200, 429, 200, 429, 401]);
  });

  it('count for the /64 of an IPv6 address', async () => {
    const service = await database.start(PROXY);
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

  it('cannot forge their address', async () => {
    const service = await database.start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' });
    const statuses = await withinMinute(async () => {
      const made: Answer[] = [];
      for (let n = 0; n < 5; n++) made.push(await from(service, newAddress(), guess()));
      return statusesOf(made);
    });
    // If a minute ended in between, some of the failures may count towards the next one.
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect((await service.call('GET', '/health/live', undefined, { key: null })).status).toBe(200);
  });

  it('are unlimited when the limit is 0', async () => {
    const service = await database.start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0' });
    for (let n = 0; n < 100; n++) {
      expect((await service.call('GET', LIST, undefined, { key: guess() })).status).toBe(401);
    }
    expect((await service.call('GET', LIST, undefined, { key: ADMIN_KEY })).status).toBe(200);
  });
});

describe('the count of calls without a valid key', () => {
  it('is exact when calls are let in at once and fail later', () => {
    const calls = new UnauthenticatedCalls(
      limits({ unauthenticatedRateLimitPerMinute: 3 }),
      new StillClock(),
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

  it('uses bounded memory and resets every minute', () => {
    const clock = new StillClock();
    const calls = new UnauthenticatedCalls(limits({ unauthenticatedRateLimitPerMinute: 1 }), clock);
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
