import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { CONCURRENCY } from './support/settings.js';
import { Stage } from './support/stage.js';

const IN_FLIGHT = 200;
/** Attempts that may be answered but not yet stored, because a slot is freed on the answer: all concurrent batches. */
const UNSETTLED = { SQLite: 200, MariaDB: 400 };

describe.each(databases)('kill -9 on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  /**
   * In even rounds the receiver answers nothing until all slots are taken, so no attempt is between its answer and its
   * settlement. In odd rounds requests are answered as usual.
   */
  async function fill(round: number, slots: number): Promise<void> {
    const { receiver } = stage;
    if (round % 2 === 0) receiver.hold();
    const goal = round % 2 === 0 ? slots : IN_FLIGHT;
    await until(() => receiver.inFlight >= goal, { withinMs: 30_000, what: `${goal} in flight` });
  }

  it(
    'loses nothing, and repeats at most what was in flight',
    async () => {
      const kills = whole(50, 2);
      stage = await Stage.on(database);
      const { service, receiver, load } = stage;
      receiver.delayMs = 250;
      load.start();
      let longestMs = 0;
      for (let round = 0; round < kills; round++) {
        await fill(round, CONCURRENCY);
        await service.end('SIGKILL');
        receiver.release();
        const before = receiver.arrivals;
        const starting = service.start();
        // On MariaDB, leases of the killed process must first expire, unless there is a backlog.
        await until(() => receiver.arrivals > before, { withinMs: 30_000, what: 'sending again' });
        longestMs = Math.max(longestMs, Date.now() - service.spawnedAt);
        await starting;
      }
      await stage.settle();
      const figures = stage.figures();
      report(`1 kill -9, ${kind.name}`, { kills, ...figures, 'longest pause': seconds(longestMs) });
      expect(figures.duplicates).toBeLessThanOrEqual(kills * (CONCURRENCY + UNSETTLED[kind.name]));
      // The short form runs beside other programs.
      expect(longestMs).toBeLessThan(whole(5000, 15_000));
    },
    whole(600_000, 120_000),
  );

  /** @param boundMs time limit for the other instance to take over. */
  async function takeOver(kills: number, timeoutSeconds: number, boundMs: number): Promise<void> {
    const env = { INSTANCE_TIMEOUT_SECONDS: String(timeoutSeconds) };
    stage = await Stage.on(database, { processes: [env, env] });
    const { services, receiver, load } = stage;
    receiver.delayMs = 250;
    load.start();
    for (let round = 0; round < kills; round++) {
      await fill(round, 2 * CONCURRENCY);
      const service = services[round % 2];
      // An answer on a connection not yet seen to be cut would count as received.
      receiver.hold();
      await service?.end('SIGKILL');
      await receiver.seeCuts();
      // With all slots taken, some of the requests came from the killed process.
      if (round % 2 === 0) expect(receiver.cutAndMissing).toBeGreaterThan(0);
      receiver.release();
      await until(() => receiver.cutAndMissing === 0, { withinMs: boundMs, what: 'taking over' });
      await service?.start();
    }
    await stage.settle();
    const figures = stage.figures();
    const pause = seconds(receiver.longestResendMs);
    report(`1 kill -9 of one of two (${timeoutSeconds} s), ${kind.name}`, {
      kills,
      ...figures,
      'longest pause': pause,
    });
    expect(figures.duplicates).toBeLessThanOrEqual(kills * (CONCURRENCY + UNSETTLED[kind.name]));
  }

  if (kind.name === 'SQLite') return;

  // The short form runs beside other programs.
  it(
    'lets another instance take over',
    () => takeOver(whole(50, 2), 3, whole(15_000, 40_000)),
    whole(1_200_000, 120_000),
  );

  if (whole(true, false)) {
    it('lets another instance take over within 60 s by default', () => takeOver(2, 45, 60_000), 240_000);
  }
});
