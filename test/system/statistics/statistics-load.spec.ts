import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StatisticAdding } from '../../../src/engine/counts/adding.js';
import { type CountedAttempt, deltasOf } from '../../../src/engine/counts/delta.js';
import { StatisticDeltaRepository } from '../../../src/engine/counts/statistic-delta.repository.js';
import { StatisticsService } from '../../../src/index.js';
import { Jobs } from '../../../src/jobs/jobs.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { StatisticRepository } from '../../../src/statistics/statistic.repository.js';
import { Database } from '../../../src/store/database.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { leastBlockMs } from '../support/computing.js';

const MINUTE = 60_000;

describe.each(databases)('statistics of many webhooks on $name', (kind) => {
  const service = useService(kind);
  let user: string;

  const left = async () =>
    Number((await service.query('SELECT COUNT(*) AS count FROM webhook_statistic_delta'))[0].count);
  const store = (lists: CountedAttempt[][]) => service.get(Database).writeTogether([deltasOf(lists)]);
  const total = async () => (await service.get(StatisticsService).find(user)).total;

  /** As settlements store them: an attempt of each webhook in each delta. */
  async function counted(deltas: number, webhooks: number): Promise<void> {
    const ids = Array.from({ length: webhooks }, () => newId());
    const endAt = Date.now();
    const attempt = { userId: user, eventKind: 'RECORD_FINISHED', outcome: '200', exhausted: false };
    const all = ids.map((webhookId) => ({ ...attempt, webhookId, beginAt: endAt - 7, endAt }));
    await store(Array.from({ length: deltas }, () => all));
  }

  beforeAll(() => service.get(Jobs).quiet());
  beforeEach(async () => {
    user = newUser();
    await service.query('DELETE FROM webhook_statistic_delta');
  });
  afterEach(() => void jest.restoreAllMocks());

  it('write the rows of each webhook once for many settlements, in transactions that are never large', async () => {
    await counted(100, 250);
    const add = jest.spyOn(service.get(StatisticDeltaRepository), 'add');
    expect(await service.get(StatisticAdding).addSome()).toBe(false);
    expect(await left()).toBe(0);
    const rows = add.mock.calls.map(([, sums]) => sums.length);
    expect(Math.max(...rows)).toBeLessThan(620);
    // Six of its own for each webhook, and in each transaction those of the user and of all users.
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(250 * 6 + rows.length * 12 + 1);
    expect(await total()).toMatchObject({ attempts: 25_000, succeeded: 25_000, p99Ms: 7 });
  });

  it('are exact if the process ends between two of these transactions', async () => {
    await counted(20, 250);
    const real = service.get(StatisticDeltaRepository).add.bind(service.get(StatisticDeltaRepository));
    jest
      .spyOn(service.get(StatisticDeltaRepository), 'add')
      .mockImplementationOnce(real)
      .mockRejectedValueOnce(new Error('the end'));
    await expect(service.get(StatisticAdding).addSome()).rejects.toThrow('the end');
    expect(await left()).toBeGreaterThan(0);
    expect(await total()).toMatchObject({ attempts: 5000 });
    while (await service.get(StatisticAdding).addSome());
    expect(await left()).toBe(0);
    expect(await total()).toMatchObject({ attempts: 5000 });
  });

  it('add each delta once, however many do it at once', async () => {
    const now = Date.now();
    const attempt = (list: number, index: number): CountedAttempt => ({
      ...{ userId: user, webhookId: newId(), eventKind: `KIND_${index % 3}` },
      ...{ beginAt: now - list, endAt: now, outcome: index % 2 ? '500' : '200', exhausted: index === 1 },
    });
    const lists = Array.from({ length: 300 }, (_, list) =>
      Array.from({ length: 10 }, (_attempt, index) => attempt(list, index)),
    );
    await store(lists);
    const expected = await total();
    expect(expected).toMatchObject({ attempts: 3000, exhausted: 300, byCode: { 200: 1500, 500: 1500 } });
    while ((await left()) > 0) {
      const runs = Array.from({ length: 4 }, () => service.get(StatisticAdding).addSome());
      // Read while they are being added.
      expect(await total()).toEqual(expected);
      await Promise.allSettled(runs);
    }
    expect(await total()).toEqual(expected);
  });

  it('read what is not added yet once for several calls', async () => {
    await counted(20, 50);
    const read = jest.spyOn(service.get(StatisticRepository), 'read');
    const totals = await Promise.all(Array.from({ length: 40 }, total));
    expect(new Set(totals.map(({ attempts }) => attempts))).toEqual(new Set([1000]));
    expect(read.mock.calls.length).toBeLessThanOrEqual(11);
  });

  it('are refused for a while, and not read, while very much is not added yet', async () => {
    const large = JSON.stringify(
      Array.from({ length: 10_000 }, (_, minute) => [user, newId(), 'KIND', minute, { 200: 1 }, 0, { 7: 1 }]),
    );
    const size = large.length + 900;
    const all = 16 * 1024 * 1024;
    const insert = (text: string) =>
      service.query('INSERT INTO webhook_statistic_delta (id, counts) VALUES (?, ?)', [newId(), text]);
    for (let bytes = size; bytes < all; bytes += size) await insert(large);
    expect(await total()).toMatchObject({ attempts: 0 });
    await insert(large);
    await expect(total()).rejects.toMatchObject({ status: 503, code: 'statistics_behind' });
  });

  it('never compute long at a stretch, also for 1,490 minutes of a busy user and with much that is not added', async () => {
    const now = Date.now();
    const durations = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [index * 37, 40]));
    const codes = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [450 + index, 60]));
    // At most 1,500 are answered, and others begin meanwhile.
    const minutes = 1490;
    const begin = Math.floor(now / MINUTE) * MINUTE - (minutes - 1) * MINUTE;
    await service.get(Database).writeTogether([
      {
        table: 'webhook_statistic',
        columns: ['user_id', 'webhook_id', 'event_kind', 'step', 'begin_at', 'counts'],
        rows: Array.from({ length: minutes }, (_, index) => [
          ...[user, '', '', 'minute', begin + index * MINUTE],
          JSON.stringify([codes, 0, durations]),
        ]),
      },
    ]);
    await counted(100, 250);
    const since = new Date(begin).toISOString();
    const find = () => service.get(StatisticsService).find(user, { step: 'minute', since });
    const sum = async () => expect((await find()).total.attempts).toBe(minutes * 6000 + 25_000);
    expect(await leastBlockMs(sum, 100)).toBeLessThan(100);
  });
});
