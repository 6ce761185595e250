import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { StatisticAdding } from '../../../src/engine/counts/adding.js';
import { deltasOf } from '../../../src/engine/counts/delta.js';
import { Claimer } from '../../../src/engine/dispatch/claimer.js';
import { Dispatcher } from '../../../src/engine/dispatch/dispatcher.js';
import { StatisticsService } from '../../../src/index.js';
import { Jobs } from '../../../src/jobs/jobs.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';

describe.each(databases)('counting on $name', (kind) => {
  const service = useService(kind);
  let user: string;

  const get = <T>(token: abstract new (...all: never[]) => T): T => service.get(token as never);
  const total = async () => (await get(StatisticsService).find(null, { userId: user })).total;

  beforeAll(async () => {
    // Only the tests claim, settle and add up.
    get(Claimer).stop();
    await get(Dispatcher).stop();
    await get(Jobs).quiet();
  });

  it('adds each delta once, however many do it at once', async () => {
    user = newUser();
    const now = Date.now();
    const lists = Array.from({ length: 300 }, (_, list) =>
      Array.from({ length: 10 }, (_, index) => ({
        userId: user,
        webhookId: newId(),
        eventKind: `KIND_${index % 3}`,
        beginAt: now - list,
        endAt: now,
        outcome: String(200 + (index % 2) * 300),
        exhausted: index === 1,
      })),
    );
    await get(Database).writeTogether([deltasOf(lists)]);
    const expected = await total();
    expect(expected).toMatchObject({ attempts: 3000, exhausted: 300, byCode: { 200: 1500, 500: 1500 } });
    const deltas = get(StatisticAdding);
    const left = async () => {
      const [{ count }] = await get(DataSource).query(
        'SELECT COUNT(*) AS count FROM webhook_statistic_delta',
      );
      return Number(count);
    };
    while ((await left()) > 0) {
      const runs = Array.from({ length: 4 }, () => deltas.addSome());
      // Read while they are being added.
      expect(await total()).toEqual(expected);
      await Promise.allSettled(runs);
    }
    expect(await total()).toEqual(expected);
  }, 60_000);
});
