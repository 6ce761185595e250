import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databases, type TestDatabase } from '../support/databases.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { report, seconds } from './support/report.js';
import { whole } from './support/settings.js';
import { Stage } from './support/stage.js';

const CLOCK = pathToFileURL(join(import.meta.dirname, 'support/stepping-clock.mjs')).href;
/** Forward, back, back and forward again. */
const STEPS = 4;
/** Seen after each step, so that a pause that begins later is seen as well. */
const ARRIVALS = whole(5000, 1000);

describe.each(databases)('a wall clock that is set on $name', (kind) => {
  let database: TestDatabase;
  let stage: Stage;

  beforeEach(async () => {
    database = await kind.create();
    stage = await Stage.open(database, { processes: [{ NODE_OPTIONS: `--import=${CLOCK}` }] });
  });
  afterEach(async () => {
    await stage.close();
    await database.drop();
  });

  /** Of the process's clock, in hours. */
  async function offset(): Promise<number> {
    const { body } = await notify(stage.service, newUser());
    // Not -0.
    return Math.round((Date.parse(body.triggered_at) - Date.now()) / 3_600_000) + 0;
  }

  it(
    'by an hour, either way, delays nothing by more than a second',
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
      expect(longestMs).toBeLessThan(1000);
      expect(figures.duplicates).toBe(0);
    },
    whole(300_000, 90_000),
  );
});
