import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type Clock, systemClock } from '../../platform/clock.js';
import type { AttemptResult } from './attempt-result.js';
import { ResultStore } from './result-store.js';
import { DatabaseBehindError } from './settlement.repository.js';

/** Pauses take no time. */
const clock: Clock = {
  ...systemClock,
  after: (_ms, run) => {
    setImmediate(run);
    return () => {};
  },
};

const BAD = 50;
const bad = Array.from({ length: BAD }, (_, index) => resultOf(`bad ${index}`));
const good = resultOf('good');

function resultOf(id: string): AttemptResult {
  return { id, webhookId: 'w', nextAttemptAt: null, missed: null, response: 'answer' } as AttemptResult;
}

/** Keeps results, of which bad ones always fail in full. @returns those that were stored. */
async function storedOf(results: AttemptResult[], error: Error): Promise<AttemptResult[]> {
  const stored: AttemptResult[] = [];
  const repository = {
    settle: async (batch: AttemptResult[]) => {
      if (batch.some(({ id, response }) => id.startsWith('bad') && response !== null)) throw error;
      stored.push(...batch);
    },
  };
  const store = new ResultStore(repository, clock, { maxItems: 200, parallel: 1 });
  await Promise.all(results.map((result) => store.keep(result, () => {})));
  return stored;
}

describe('a result beside many that cannot be stored', () => {
  beforeEach(() => {
    for (const level of ['error', 'warn'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation(() => {});
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is not dropped with those that the database has lost', async () => {
    expect(await storedOf([...bad, good], new DatabaseBehindError())).toEqual([good]);
  });

  it('keeps the answer that the database refuses of the others', async () => {
    const refused = Object.assign(new Error('too long'), { errno: 1406, sqlState: '22001' });
    const stored = await storedOf([...bad, good], refused);
    expect(stored).toHaveLength(BAD + 1);
    expect(stored).toContain(good);
  });
});
