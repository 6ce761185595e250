import { describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../system/support/process.js';
import { report, someOf, whole } from '../system/support/suite.js';

const PER_SECOND = 50;
const WINDOW_MS = 200;
const AT_ONCE = 20;
/** Connections are opened first. */
const WARM_UP_MS = 2000;

/** The most of these times in any window. */
function most(times: number[]): number {
  let from = 0;
  let found = 0;
  for (const [index, at] of times.entries()) {
    while (at - (times[from] as number) >= WINDOW_MS) from++;
    found = Math.max(found, index - from + 1);
  }
  return found;
}

/** When attempts began, by the processes' clocks, which are one here. */
async function starts(url: string): Promise<number[]> {
  const options = { ...dataSourceOptions(url), migrationsRun: false };
  const dataSource = await createDataSource(options).initialize();
  try {
    const rows: { begin_at: number | string }[] = await dataSource.query(
      'SELECT begin_at FROM webhook_attempt ORDER BY begin_at',
    );
    return rows.map((row) => Number(row.begin_at));
  } finally {
    await dataSource.destroy();
  }
}

describe.each(someOf(databases))('a rate of fifty a second on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  it(
    'is held by all processes together, evenly',
    async () => {
      const seconds = whole(60, 5);
      const count = PER_SECOND * (seconds + 4);
      // SQLite has one process.
      const env = { ENCRYPTION_KEYS, LOG_LEVEL: 'warn' };
      const services = [await startProcessOn(database, env)];
      if (kind.name !== 'SQLite') for (const _ of [2, 3]) services.push(await startProcessOn(database, env));
      const [first] = services;
      if (!first) throw new Error('There is no service.');
      const user = newUser();
      await createWebhook(first, {
        ...{ user_id: user, url: receiver.url, events: ['RECORD_FINISHED'] },
        settings: { rate_per_second: PER_SECOND },
      });
      for (let sent = 0; sent < count; sent += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) =>
            notify(services[index % services.length] ?? first, user),
          ),
        );
      const until = WARM_UP_MS + seconds * 1000;
      const { requests } = receiver;
      const span = () => (requests.at(-1)?.at ?? 0) - (requests[0]?.at ?? 0);
      await receiver.waitFor(() => span() > until, 2 * until);
      const begin = requests[0]?.at ?? 0;
      const inTime = (times: number[]) =>
        times.filter((at) => at >= begin + WARM_UP_MS && at < begin + until);
      const times = inTime(requests.map(({ at }) => at));
      const started = most(inTime(await starts(database.url)));
      const rate = times.length / seconds;
      const peak = most(times);
      report(`12 rate of ${PER_SECOND}, ${kind.name}`, {
        processes: services.length,
        seconds,
        'per second': rate.toFixed(2),
        [`most started in ${WINDOW_MS} ms`]: started,
        'most arrived': peak,
      });
      // What a loaded machine misses is given up, so the short form, which runs beside others, asks for less.
      expect(rate).toBeGreaterThanOrEqual(PER_SECOND * whole(0.95, 0.5));
      expect(rate).toBeLessThanOrEqual(PER_SECOND * 1.05);
      const perWindow = (PER_SECOND * WINDOW_MS) / 1000;
      expect(started).toBeLessThanOrEqual(perWindow * whole(1.2, 1.5));
      // A receiver that is busy for a moment takes several at once.
      expect(peak).toBeLessThanOrEqual(perWindow * whole(1.5, 2));
    },
    whole(300_000, 120_000),
  );
});
