import { describe, expect, it, jest } from '@jest/globals';
import { ComputingShare } from '../../src/statistics/computing-share.js';
import { Database } from '../../src/store/database.js';
import { expectProblem } from '../support/api.js';
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

  async function caller() {
    const user = newUser();
    const key = await service.keyFor(user, 'webhooks:read');
    let answered = 0;
    return {
      user,
      get answered() {
        return answered;
      },
      ask: async (query = '') => {
        const answer = await service.call('GET', `/v1/webhook/stats${query}`, undefined, { key });
        answered++;
        return answer;
      },
      list: () => service.call('GET', '/v1/webhook/list', undefined, { key }),
    };
  }

  it('lets two seconds pass at once, and then a quarter of the time', async () => {
    const user = newUser();
    const done: number[] = [];
    const compute = (ms: number) =>
      share().run(user, async () => {
        owes(user, ms);
        done.push(ms);
      });
    await compute(1000);
    await compute(1001);
    const waiting = [compute(100), compute(200), compute(300)];
    await share().run(newUser(), async () => done.push(0));
    expect(done).toEqual([1000, 1001, 0]);
    clock.advance(4);
    await waiting[0];
    expect(done).toEqual([1000, 1001, 0, 100]);
    clock.advance(400);
    await waiting[1];
    clock.advance(799);
    expect(done).toEqual([1000, 1001, 0, 100, 200]);
    clock.advance(1);
    await waiting[2];
    clock.advance(4 * 2300);
    await compute(1999);
    await compute(7);
    expect(done).toEqual([1000, 1001, 0, 100, 200, 300, 1999, 7]);
  });

  it('holds back only statistics of this user, whoever asks for them', async () => {
    const [mine, other] = [await caller(), await caller()];
    owes(mine.user, 3000);
    const asked = mine.ask();
    const asAdmin = service.call('GET', `/v1/webhook/stats?user_id=${mine.user}`);
    expect((await other.ask()).status).toBe(200);
    expect((await mine.list()).status).toBe(200);
    expect((await service.call('GET', '/v1/webhook/stats')).status).toBe(200);
    expect(mine.answered).toBe(0);
    clock.advance(4000);
    expect((await asked).status).toBe(200);
    expect((await asAdmin).status).toBe(200);
  });

  it('goes on when a call that it held back fails', async () => {
    const { user, ask } = await caller();
    owes(user, 3000);
    const failing = expect(share().run(user, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const next = ask();
    clock.advance(4000);
    await failing;
    expect((await next).status).toBe(200);
  });

  it('says what to ask for when a hundred wait', async () => {
    const { user, ask } = await caller();
    owes(user, 3000);
    const waiting = Array.from({ length: 100 }, () => share().run(user, async () => {}));
    const refused = await ask();
    expectProblem(refused, 429, 'too_many_answers');
    expect(refused.body.detail).toMatch(/a longer step/);
    expect(refused.headers.get('retry-after')).toBe('10');
    clock.advance(4000);
    await Promise.all(waiting);
    expect((await ask()).status).toBe(200);
  });

  it('is charged with what the rows and the sums took', async () => {
    const { user, ask } = await caller();
    const begin = Math.floor(Date.now() / MINUTE - 60) * MINUTE;
    const rows = Array.from({ length: 60 }, (_, index) => [
      ...[user, '', '', 'minute', begin + index * MINUTE],
      JSON.stringify([{ 200: 1 }, 0, { 7: 1 }]),
    ]);
    const columns = ['user_id', 'webhook_id', 'event_kind', 'step', 'begin_at', 'counts'];
    await service.get(Database).writeTogether([{ table: 'webhook_statistic', columns, rows }]);
    const charge = jest.spyOn(share(), 'charge');
    const answer = await ask(`?step=minute&since=${new Date(begin).toISOString()}`);
    expect(answer.body.total.attempts).toBe(60);
    expect(charge.mock.calls.map(([of]) => of)).toEqual([user, user]);
    for (const [, ms] of charge.mock.calls) expect(ms).toBeGreaterThan(0);
  });
});
