import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databases } from '../../support/databases.js';
import { useService, useTestClock } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { DisablingWorld, type Step, step } from './disabling-world.js';

const STEPS = 200;
const { DISABLING_RUNS } = process.env;
/** Of so many steps each. `DISABLING_RUNS=250` makes 100,000 steps, half of them on each database. */
const RUNS = { SQLite: Number(DISABLING_RUNS ?? 40), MariaDB: Number(DISABLING_RUNS ?? 4) };
/** Of 36 runs of random steps one is sure to be about what has to come back: more than a third of all are. */
const ENOUGH = 40;
const TIMEOUT_MS = Math.max(600_000, Number(DISABLING_RUNS ?? 0) * 30_000);
/** A webhook is disabled by failures for two seconds. */
const SOON = { FAILING_DISABLE_HOURS: String(2 / 3600) };

const one = (does: Step['does'], more: Partial<Step> = {}): Step => ({
  ...{ does, by: 0, which: 0, answer: 500, dies: false, ms: 0 },
  ...more,
});
const begun = [one('notify'), one('commit'), one('claim'), one('begin', { ms: 1000 })];

/** What random steps come to too seldom. Of the last three some triggers have to come back. */
const examples: Step[][] = [
  // An attempt fails for good that was begun before its owner gave the webhook another URL, at which others fail by then.
  [...begun, one('move'), ...begun, one('end', { which: 1 }), one('end', { answer: 410 })],
  // The oldest fails last, and nobody but the transaction that cancels it notes that.
  [...begun, ...begun, one('end', { which: 1 }), one('breakDown'), one('end', { dies: true })],
  // It is disabled again before its recovery has begun.
  [
    ...[...begun, one('end'), one('notify'), one('commit'), one('breakDown')],
    ...[one('probe'), one('claim'), one('begin'), one('end', { answer: 200 }), one('probe')],
    ...[...begun, one('end'), one('breakDown')],
  ],
  // Its owner enables it while a probe is under way: that fails as it fails anew, and is no loss, as what was missed before is his.
  [
    ...[
      one('notify'),
      one('commit'),
      one('notify'),
      one('commit'),
      one('claim', { which: 1 }),
      one('begin', { ms: 1000 }),
    ],
    ...[one('end'), one('breakDown'), one('probe'), one('claim'), one('begin'), one('enable')],
    ...[...begun, one('end', { which: 1 }), one('end')],
  ],
];

describe.each(databases)('a webhook that is disabled as failing, on $name', (kind) => {
  const clock = useTestClock();
  const service = useService(kind, { ROLE: 'api', ...SOON });

  it(
    'gets all that was cancelled by it or had failed, wherever that was',
    async () => {
      const promises: number[] = [];
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
          async (steps) => {
            const webhook = await createWebhook(service, {
              ...{ user_id: newUser(), events: ['RECORD_FINISHED'] },
              settings: { auto_recover: true, retry_schedule_seconds: [0.5, 0.5] },
            });
            const world = new DisablingWorld(service, clock, webhook);
            await world.start();
            try {
              for (const one of steps) await world.take(one);
              expect(await world.comesToRest()).toEqual([]);
            } finally {
              promises.push(world.promises);
              await world.stop();
            }
          },
        ),
        {
          numRuns: RUNS[kind.name],
          examples: examples.map((steps): [Step[]] => [steps]),
          endOnFailure: true,
        },
      );
      expect(promises.slice(0, examples.length)).toEqual([0, 2, 3, 2].slice(0, RUNS[kind.name]));
      if (RUNS[kind.name] >= ENOUGH) expect(Math.max(...promises.slice(examples.length))).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
