import { beforeEach, describe, expect, it } from '@jest/globals';
import { FAILPOINTS, type Failpoint } from '../../src/platform/failpoint.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { report, whole } from '../system/support/suite.js';
import { CONCURRENCY } from './support/settings.js';
import { Stage } from './support/stage.js';

/** Passed constantly. The process dies at the third pass, when work is in progress. */
const HOT = /^(accept|send|settle)-/;
/** Passed when a process ends while it holds triggers to release. */
const AT_THE_END = /^(release|stop)-/;
/** Passed when a process starts after another was killed. */
const AFTER_A_KILL = /^recover-/;

/**
 * Passed while a webhook is recovered (see `recovery.torture.ts`), brought back
 * (`test/system/webhook/auto-recover-processes.spec.ts`), told of another's failure
 * (`test/system/delivery/notice-crash.spec.ts`), or moved to another cell (`test/system/commands`).
 */
const ELSEWHERE = /^(replay|probe|auto-recover|notice|move)-/;
const NAMES = FAILPOINTS.filter((name) => !ELSEWHERE.test(name));

/** Waiting notifications; each has a trigger for every webhook. */
const WAITING = 50;

describe.each(databases)('a process that dies between two steps, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.on(database);
  });

  async function dieAt(name: Failpoint): Promise<void> {
    const { service, receiver, load } = stage;
    if (AFTER_A_KILL.test(name)) {
      await service.start();
      await until(() => receiver.inFlight > 0, { what: 'something in flight' });
      await service.end('SIGKILL');
    }
    service.spawn({ FAILPOINT: HOT.test(name) ? `${name}@3` : name });
    if (AT_THE_END.test(name)) {
      receiver.hold();
      await until(() => receiver.inFlight === CONCURRENCY, { withinMs: 30_000, what: 'full slots' });
      // Triggers must wait behind these, or there is nothing to release.
      const goal = load.accepted.size + WAITING;
      load.unbounded = true;
      await until(() => load.accepted.size >= goal, { withinMs: 30_000, what: 'triggers that wait' });
      load.unbounded = false;
      service.signal('SIGTERM');
      receiver.release();
    }
    const dead = until(() => !service.isRunning, { withinMs: 30_000, what: `passing ${name}` });
    await dead.catch((error) => {
      throw new Error(`${error.message}\n${service.output}`);
    });
    expect({ name, ...(await service.exited) }).toEqual({ name, code: null, signal: 'SIGKILL' });
  }

  it(
    'strands no trigger',
    async () => {
      const { service, receiver, load } = stage;
      receiver.delayMs = 100;
      load.start();
      for (const name of NAMES) {
        if (service.isRunning) {
          // The next process recovers and claims what this one leaves.
          await until(() => receiver.inFlight > 0, { what: 'something in flight' });
          await service.end('SIGKILL');
        }
        await dieAt(name);
        if (whole(true, false)) {
          await service.start();
          await stage.settle();
          receiver.delayMs = 100;
          load.start();
        }
      }
      if (!service.isRunning) await service.start();
      await stage.settle();
      const figures = stage.figures();
      report(`2 failpoints, ${kind.name}`, { deaths: NAMES.length, ...figures, stranded: 0 });
      expect(figures.duplicates).toBeLessThanOrEqual(2 * NAMES.length * CONCURRENCY);
    },
    whole(900_000, 180_000),
  );
});
