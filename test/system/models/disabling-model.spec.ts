import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { FAILED_AT_ANOTHER_URL, step } from './disabling-steps.js';
import { DisablingWorld } from './disabling-world.js';

const STEPS = 200;
const { DISABLING_RUNS } = process.env;
/** Of so many steps each. `DISABLING_RUNS=250` makes 100,000 steps, half of them on each database. */
const RUNS = { SQLite: Number(DISABLING_RUNS ?? 40), MariaDB: Number(DISABLING_RUNS ?? 4) };
/** So many runs that some of them are sure to be about what has to come back. */
const ENOUGH = 40;
const TIMEOUT_MS = Math.max(600_000, Number(DISABLING_RUNS ?? 0) * 30_000);

describe.each(databases)('a webhook that is disabled as failing, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it(
    'gets all that was cancelled by it or had failed, wherever that was',
    async () => {
      let promises = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
          async (steps) => {
            const webhook = await createWebhook(service, {
              user_id: newUser(),
              events: ['RECORD_FINISHED'],
              settings: { auto_recover: true },
            });
            const world = new DisablingWorld(service, webhook);
            await world.start();
            try {
              for (const one of steps) await world.take(one);
              expect(await world.comesToRest()).toEqual([]);
            } finally {
              promises += world.promises;
              await world.stop();
            }
          },
        ),
        { numRuns: RUNS[kind.name], examples: [[FAILED_AT_ANOTHER_URL]], endOnFailure: true },
      );
      if (RUNS[kind.name] >= ENOUGH) expect(promises).toBeGreaterThan(RUNS[kind.name]);
    },
    TIMEOUT_MS,
  );
});
