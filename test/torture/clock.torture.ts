import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { report, seconds, someOf, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'support/stepping-clock.mjs')).href;
/** One forward, two back, one forward. */
const STEPS = 4;
/** Awaited after each step, so that a later pause is noticed too. */
const ARRIVALS = whole(5000, 1000);

describe.each(someOf(databases))('a wall clock that jumps by an hour, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.on(database, { processes: [{ NODE_OPTIONS: `--import=${CLOCK}` }] });
  });

  /** Hours by which the clock of the process is ahead. */
  async function offset(): Promise<number> {
    const { body } = await notify(stage.service, newUser());
    // Adding 0 turns -0 into 0.
    return Math.round((Date.parse(body.triggered_at) - Date.now()) / 3_600_000) + 0;
  }

  it(
    'causes no pause of a second or more',
    async () => {
      const { service, receiver, load } = stage;
      load.start();
      await until(() => receiver.arrivals >= ARRIVALS, { withinMs: 60_000, what: 'load' });
      let longestMs = 0;
      const offsets: number[] = [];
      for (let step = 0; step < STEPS; step++) {
        receiver.longestPauseMs = 0;
        service.signal('SIGWINCH');
        const goal = receiver.arrivals + ARRIVALS;
        await until(() => receiver.arrivals >= goal, { withinMs: 60_000, what: 'going on' });
        longestMs = Math.max(longestMs, receiver.longestPauseMs);
        offsets.push(await offset());
      }
      await stage.settle();
      const figures = stage.figures();
      report(`9 clock steps, ${kind.name}`, {
        steps: STEPS,
        ...figures,
        'longest pause': seconds(longestMs),
      });
      expect(offsets).toEqual([1, 0, -1, 0]);
      expect(longestMs).toBeLessThan(whole(1000, 5000));
      expect(figures.duplicates).toBe(0);
    },
    whole(300_000, 90_000),
  );
});
