import { describe, expect, it } from '@jest/globals';
import { UnauthenticatedCalls } from '../../src/auth/limits/unauthenticated-calls.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import { expectProblem } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { useDatabase, useService, useTestClock } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { ADMIN_KEY, type Answer } from '../support/service.js';
import { limits, MINUTE } from './minute.js';

const LIST = '/v1/webhook/list';
const LIMIT = { UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '3' };

let made = 0;
const guess = () => `whk_${String(++made).padStart(43, 'x')}`;
const newAddress = () => `198.51.100.${++made}`;
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

describe('calls without a valid key', () => {
  const clock = useTestClock();
  const service = useService(SQLITE, { TRUSTED_PROXIES: '127.0.0.1', ...LIMIT });

  const from = (address: string, key: string | null) =>
    service.call('GET', LIST, undefined, { key, headers: { 'x-forwarded-for': address } });

  it('are refused above the limit, until the minute is over', async () => {
    clock.advance(MINUTE - (clock.now() % MINUTE) + 20_000);
    const address = newAddress();
    const answers: Answer[] = [];
    for (const key of [guess(), null, guess(), guess(), null]) answers.push(await from(address, key));
    expect(statusesOf(answers)).toEqual([401, 401, 401, 429, 429]);
    for (const answer of answers.slice(3)) {
      expectProblem(answer, 429, 'rate_limited');
      expect(answer.headers.get('retry-after')).toBe('40');
    }
    clock.advance(40_000);
    expect((await from(address, guess())).status).toBe(401);
  });

  it('are counted exactly when they all arrive at once', async () => {
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 20 }, () => from(address, guess())));
    expect(statusesOf(answers).sort()).toEqual([401, 401, 401, ...Array(17).fill(429)]);
  });

  it('do not lock out keys in use, even at the same address', async () => {
    const [address, other] = [newAddress(), newAddress()];
    const { body } = await service.call('POST', '/v1/api-key', { user_id: 'x', scopes: ['webhooks:read'] });
    const unused = await service.keyFor(newUser(), 'webhooks:read');
    const answers = [await from(other, body.key)];
    for (let n = 0; n < 4; n++) answers.push(await from(address, guess()));
    answers.push(await from(address, body.key));
    // A key this instance has never seen looks like a guess.
    answers.push(await from(address, unused), await from(other, unused));
    await service.call('DELETE', `/v1/api-key?id=${body.id}`);
    answers.push(await from(address, body.key), await from(other, body.key));
    expect(statusesOf(answers)).toEqual([200, 401, 401, 401, 429, 200, 429, 200, 429, 401]);
  });

  it('count for the /64 of an IPv6 address', async () => {
    const answers: Answer[] = [];
    for (const host of ['0::1', '0:a::1', '0:b:c:d:e', '0::2', '1::1']) {
      answers.push(await from(`2001:db8:0:${host}`, guess()));
    }
    expect(statusesOf(answers)).toEqual([401, 401, 401, 429, 401]);
  });
});

describe('calls without a valid key, from no trusted proxy,', () => {
  useTestClock();
  const database = useDatabase(SQLITE, 'test', 'migrated');

  it('cannot forge their address', async () => {
    const service = await database.start(LIMIT);
    const answers: Answer[] = [];
    for (let n = 0; n < 5; n++) {
      const headers = { 'x-forwarded-for': newAddress() };
      answers.push(await service.call('GET', LIST, undefined, { key: guess(), headers }));
    }
    expect(statusesOf(answers)).toEqual([401, 401, 401, 429, 429]);
    expect((await service.call('GET', '/health/live', undefined, { key: null })).status).toBe(200);
  });

  it('are unlimited when the limit is 0', async () => {
    const service = await database.start({ UNAUTHENTICATED_RATE_LIMIT_PER_MINUTE: '0' });
    const call = (key: string) => service.call('GET', LIST, undefined, { key });
    for (let n = 0; n < 100; n++) expect((await call(guess())).status).toBe(401);
    expect((await call(ADMIN_KEY)).status).toBe(200);
  });
});

describe('the count of calls without a valid key', () => {
  it('is kept for 10,000 addresses, the latest ones', () => {
    const calls = new UnauthenticatedCalls(limits({ unauthenticatedRateLimitPerMinute: 1 }), new TestClock());
    for (let n = 0; n <= 10_000; n++) calls.failed(`10.0.${n >> 8}.${n & 255}`, null);
    expect(() => calls.admit('10.0.0.0', null)).not.toThrow();
    for (const address of ['10.0.0.1', '10.0.39.16']) expect(() => calls.admit(address, null)).toThrow();
  });
});
