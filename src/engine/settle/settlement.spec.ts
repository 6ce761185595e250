import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type Clock, systemClock } from '../../platform/clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Database } from '../../store/database.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { DeliveryMetrics } from '../metrics/delivery-metrics.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { Attempt } from '../send/sender.js';
import type { AttemptResult } from './attempt-result.js';
import { Settlement } from './settlement.js';
import { DatabaseBehindError } from './settlement.repository.js';

/** Pauses take no time. */
const clock: Clock = {
  ...systemClock,
  after: (_ms, run) => {
    setImmediate(run);
    return () => {};
  },
};

const trigger = { id: 'trigger', notification: { id: 'n', hops: 0 } } as LeasedTrigger;
const attempt = {
  ...{ number: 1, beginAt: 1, endAt: 2, request: null, echoes: null },
  exchange: { response: { status: 200, headers: {}, body: 'ok', truncated: false }, error: null, phases: {} },
} as Attempt;
const receiver = { userId: 'acme', settings: { retryScheduleSeconds: [] } } as unknown as Parameters<
  Settlement['settle']
>[2];

/** Stores a result that fails with one error after the other. @returns each try, whether it held the receiver's answer. */
async function triesOf(errors: Error[]): Promise<boolean[]> {
  const tries: boolean[] = [];
  const left = [...errors];
  const repository = {
    settle: async ([result]: AttemptResult[]) => {
      tries.push(result?.response !== null);
      const error = left.shift();
      if (error) throw error;
    },
  };
  const quiet = (['error', 'warn'] as const).map((level) =>
    jest.spyOn(Logger.prototype, level).mockImplementation(() => {}),
  );
  const settlement = new Settlement(
    repository,
    { attempted: () => {} } as unknown as DeliveryMetrics,
    { delivery: { gentle: false } } as Settings,
    new QueueTime(clock),
    clock,
    { parallelCommits: 1 } as Database,
    { attempted: () => {} },
  );
  await settlement.settle(trigger, attempt, receiver);
  for (const spy of quiet) spy.mockRestore();
  return tries;
}

const behind = (count: number) => Array<Error>(count).fill(new DatabaseBehindError());
const other = (count: number) => Array<Error>(count).fill(new Error('no such table'));

describe('a result that cannot be stored', () => {
  it('loses the answer of the receiver after seven tries', async () => {
    expect(await triesOf(other(9))).toEqual([...Array(7).fill(true), ...Array(3).fill(false)]);
  });

  it('is dropped at the seventh try for which the database was behind', async () => {
    expect(await triesOf(behind(20))).toHaveLength(7);
  });

  it('is dropped as well if some tries fail otherwise, be it the seventh', async () => {
    expect(await triesOf([...behind(6), ...other(1), ...behind(20)])).toHaveLength(8);
    expect(await triesOf([...other(7), ...behind(20)])).toHaveLength(14);
  });

  it('is not dropped before the database has had the time to catch up', async () => {
    expect(await triesOf([...other(8), ...behind(6)])).toHaveLength(15);
  });
});
