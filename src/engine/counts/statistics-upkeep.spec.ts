import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { TaskLease } from '../instance/task-lease.js';
import type { StatisticAdding } from './adding.js';
import type { OldStatisticRepository } from './old-statistic.repository.js';
import { StatisticsUpkeep } from './statistics-upkeep.js';

/** Each adding takes this long. */
const TAKES_MS = 500;

async function upkeep(behind: boolean[]): Promise<{ pauses: number[]; deletions: number }> {
  const clock = new TestClock();
  const pauses: number[] = [];
  let deletions = 0;
  let endedAt = 0;
  const adding = {
    async addSome() {
      pauses.push(clock.monotonic() - endedAt);
      clock.advance(TAKES_MS);
      endedAt = clock.monotonic();
      return behind[pauses.length - 1] ?? false;
    },
  };
  const old = {
    async deleteSome() {
      deletions++;
      return false;
    },
  };
  const task = new StatisticsUpkeep(
    { take: async () => ({ position: '' }) } as never as TaskLease,
    adding as never as StatisticAdding,
    old as never as OldStatisticRepository,
    { role: 'all' } as never as Settings,
    clock,
  );
  task.onApplicationBootstrap();
  for (let step = 0; pauses.length <= behind.length && step < 1000; step++) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await task.beforeApplicationShutdown();
  return { pauses: pauses.slice(1), deletions };
}

describe('adding up the statistics', () => {
  it('does not pause while it is behind, and never for so long that it falls behind', async () => {
    const { pauses, deletions } = await upkeep([true, true, true, false, false]);
    for (const pause of pauses.slice(0, 3)) expect(pause).toBeLessThanOrEqual(100);
    for (const pause of pauses.slice(3)) {
      expect(pause).toBeGreaterThanOrEqual(2000);
      expect(pause).toBeLessThanOrEqual(4100);
    }
    expect(deletions).toBe(1);
  });
});
