import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { EngineWorld, step } from './engine-world.js';

const RUNS = 60;

describe('the engine', () => {
  it('eventually tries every trigger, whatever receivers, clocks, other processes and the database do', async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: 'max' }),
        fc.constantFrom<[number, number]>([4, 1], [4, 2], [16, 10], [256, 10]),
        async (steps, [concurrency, webhookConcurrency]) => {
          const world = await EngineWorld.begin({ concurrency, webhookConcurrency });
          await world.run(steps);
          expect(await world.comesToRest()).toEqual([]);
          expect(world.exceeded).toEqual([]);
          expect(world.queues.budget.size).toBe(0);
          expect(world.queues.budget.bytes).toBe(0);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
