import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../src/engine/queue/breaker.js';
import { step } from './queue-steps.js';
import { QueueWorld } from './queue-world.js';

const RUNS = 500;
const STEPS = 200;

describe('WebhookQueues', () => {
  it(`loses no slot, byte or trigger and becomes idle again, in ${RUNS * STEPS} random steps`, () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
        fc.constantFrom<Verdict>('up', 'down', null),
        (steps, verdict) => {
          const world = new QueueWorld();
          world.run(steps);
          world.comesToRest(verdict);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
