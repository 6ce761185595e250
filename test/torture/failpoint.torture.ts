import { beforeEach, describe, expect, it } from '@jest/globals';
import { FAILPOINTS, type Failpoint } from '../../src/platform/failpoint.js';
import { countedOneByOne } from '../support/counted.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notifyTimes } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { report, whole } from '../system/support/suite.js';
import { ended, recover } from '../webhook/recovery/scene.js';
import { queriesOn } from './support/queries.js';
import { CONCURRENCY } from './support/settings.js';
import { Stage } from './support/stage.js';

/** Passed constantly. The process dies at the third pass, when work is in progress. */
const HOT = /^(accept|send|settle)-/;
/** Passed when a process ends while it holds triggers to release. */
const AT_THE_END = /^(release|stop)-/;
/** Passed when a process starts after another was killed. */
const AFTER_A_KILL = /^recover-/;
/** Passed while a webhook is recovered. */
const IN_A_RECOVERY = FAILPOINTS.filter((name) => name.startsWith('replay-'));

/**
 * Passed while a webhook is recovered or brought back (`test/system/webhook/auto-recover-processes.spec.ts`), told of
 * another's failure (`test/system/delivery/notice-crash.spec.ts`), or moved to another cell (`test/system/commands`).
 */
const ELSEWHERE = /^(replay|probe|auto-recover|notice|move)-/;
const NAMES = FAILPOINTS.filter((name) => !ELSEWHERE.test(name));

/** Waiting notifications; each has a trigger for every webhook. */
const WAITING = 50;
const MISSED = 600;
const PER_SECOND = 30;

describe.each(databases)('a process that dies between two steps, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.on(database);
  });

  async function whenDead(name: Failpoint): Promise<void> {
    const { service } = stage;
    const dead = until(() => !service.isRunning, { withinMs: 30_000, what: `passing ${name}` });
    await dead.catch((error) => {
      throw new Error(`${error.message}\n${service.output}`);
    });
    expect({ name, ...(await service.exited) }).toEqual({ name, code: null, signal: 'SIGKILL' });
  }

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
      load.unbounded = true;
      await load.acceptedMore(WAITING);
      load.unbounded = false;
      service.signal('SIGTERM');
      receiver.release();
    }
    await whenDead(name);
  }

  it(
    'strands no trigger, and its statistics equal the attempts that are stored',
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
      const query = await queriesOn(database);
      const { counts } = await countedOneByOne(query);
      const total = async (step = 'hour') =>
        (await service.call('GET', `/v1/webhook/stats?step=${step}`)).body.total;
      const before = await total();
      expect(before).toMatchObject(counts as never);
      const deltas = () => query('SELECT id FROM webhook_statistic_delta LIMIT 1');
      await until(async () => (await deltas()).length === 0, { what: 'that all is added up' });
      for (const step of ['minute', 'hour', 'day']) expect(await total(step)).toEqual(before);
    },
    whole(900_000, 180_000),
  );

  it('goes on with a recovery, leaves nothing out and makes nothing due twice', async () => {
    const { service, receiver } = stage;
    const user = newUser();
    const missed = await notifyTimes(MISSED, service, user);
    const url = `${receiver.url}/recovered`;
    const { id } = await createWebhook(service, { user_id: user, url });
    const { body } = await recover(service, id, { missed: true, per_second: PER_SECOND });
    for (const name of IN_A_RECOVERY) {
      await service.end('SIGKILL');
      service.spawn({ FAILPOINT: `${name}@2` });
      await whenDead(name);
      await service.start();
    }
    const done = await ended(service, body.id);
    expect(done).toMatchObject({ state: 'DONE', total: MISSED, done: MISSED });
    await stage.settle();
    const { arrivals: received, duplicates } = receiver;
    report(`2 failpoints of a recovery, ${kind.name}`, { missed: MISSED, received, duplicates });
    expect(missed.filter((answer) => !receiver.counts.has(`/recovered ${answer.body.id}`))).toEqual([]);
    // What was being sent, or was not yet stored, at a death.
    expect(duplicates).toBeLessThanOrEqual(2 * IN_A_RECOVERY.length * PER_SECOND);
  }, 120_000);
});
