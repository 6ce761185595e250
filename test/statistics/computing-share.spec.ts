import { describe, expect, it, jest } from '@jest/globals';
import { ComputingShare } from '../../src/statistics/computing-share.js';
import { Database } from '../../src/store/database.js';
import { expectProblem } from '../support/api.js';
import { ADMIN_KEY } from '../support/call.js';
import { SQLITE } from '../support/databases.js';
import { useService, useTestClock } from '../support/fixture.js';
import { newUser } from '../support/scene.js';

const MINUTE = 60_000;

describe('the computing share of a user', () => {
  const clock = useTestClock();
  const service = useService(SQLITE);
  const share = () => service.get(ComputingShare);
  /** Half of what they owe is not timed. */
  const owes = (user: string, ms: number) => share().charge(user, ms / 2);
  const stats = (key: string, query = '') =>
    service.call('GET', `/v1/webhook/stats${query}`, undefined, { key });

  it('lets two seconds pass at once, and then a quarter of the time', () => {
    const user = newUser();
    const mayAsk = () => {
      try {
        share().check(user);
        return true;
      } catch {
        return false;
      }
    };
    expect(mayAsk()).toBe(true);
    owes(user, 2000);
    expect(mayAsk()).toBe(true);
    owes(user, 100);
    clock.advance(399);
    expect(mayAsk()).toBe(false);
    clock.advance(1);
    expect(mayAsk()).toBe(true);
    owes(user, 3_600_000);
    clock.advance(7999);
    expect(mayAsk()).toBe(false);
    clock.advance(1);
    expect(mayAsk()).toBe(true);
  });

  it('refuses only statistics of this user, and says when they will be answered', async () => {
    const [mine, other] = [newUser(), newUser()];
    const key = await service.keyFor(mine, 'webhooks:read');
    owes(mine, 3000);
    const refused = await stats(key);
    expectProblem(refused, 429, 'too_many_answers');
    expect(refused.body.detail).toMatch(/in 4 s, .*a longer step/);
    expect(refused.headers.get('retry-after')).toBe('4');
    expect((await stats(await service.keyFor(other, 'webhooks:read'))).status).toBe(200);
    expect((await stats(ADMIN_KEY, `?user_id=${mine}`)).status).toBe(200);
    expect((await service.call('GET', '/v1/webhook/trigger/list', undefined, { key })).status).toBe(200);
    clock.advance(4000);
    expect((await stats(key)).status).toBe(200);
  });

  it('is charged with what the rows and the sums took, to the one who asked', async () => {
    const user = newUser();
    const key = await service.keyFor(user, 'webhooks:read');
    const begin = Math.floor(clock.now() / MINUTE - 60) * MINUTE;
    const rows = Array.from({ length: 60 }, (_, index) => [
      ...[user, '', '', 'minute', begin + index * MINUTE],
      JSON.stringify([{ 200: 1 }, 0, { 7: 1 }]),
    ]);
    const columns = ['user_id', 'webhook_id', 'event_kind', 'step', 'begin_at', 'counts'];
    await service.get(Database).writeTogether([{ table: 'webhook_statistic', columns, rows }]);
    const charge = jest.spyOn(share(), 'charge');
    const since = new Date(begin).toISOString();
    expect((await stats(ADMIN_KEY, `?step=minute&since=${since}&user_id=${user}`)).body.total.attempts).toBe(
      60,
    );
    expect(charge).not.toHaveBeenCalled();
    expect((await stats(key, `?step=minute&since=${since}`)).body.total.attempts).toBe(60);
    expect(charge.mock.calls).toEqual([[user, expect.any(Number)]]);
    expect(charge.mock.calls[0]?.[1]).toBeGreaterThan(0);
  });
});
