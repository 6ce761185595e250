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
/** Sent before anybody is killed. */
const NOTIFICATIONS = whole(5000, 400);

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

  if (kind.name === 'SQLite') return;

  const [API, WORKER, BY_DEFAULT] = [{ ROLE: 'api' }, { ROLE: 'worker' }, { INSTANCE_TIMEOUT_SECONDS: '45' }];
  // The short form runs beside other programs.
  const BOUND_MS = whole(15_000, 40_000);
  type Case = [name: string, processes: Record<string, string>[], kills: number, boundMs: number];
  it.each<Case>([
    ['two alike', [{}, {}], whole(50, 2), BOUND_MS],
    ['an API and two workers', [API, WORKER, WORKER], 2, BOUND_MS],
    ...whole<Case[]>([['two alike, by default', [BY_DEFAULT, BY_DEFAULT], 2, 60_000]], []),
  ])(
    'of one of %s lets the other take over; before that all is sent once',
    async (name, processes, kills, boundMs) => {
      stage = await Stage.on(database, { processes });
      const { services, receiver, load } = stage;
      receiver.delayMs = 250;
      load.start();
      await until(() => load.accepted.size >= NOTIFICATIONS, { withinMs: 120_000, what: 'load' });
      await stage.settle();
      expect(receiver.duplicates).toBe(0);
      receiver.delayMs = 250;
      load.start();
      const senders = services.filter((_, index) => processes[index] !== API);
      for (let round = 0; round < kills; round++) {
        await fill(round, senders.length * CONCURRENCY);
        const service = senders[round % senders.length];
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
      report(`1 kill -9 of one of ${name}`, {
        kills,
        ...figures,
        'longest pause': seconds(receiver.longestResendMs),
      });
      expect(figures.duplicates).toBeLessThanOrEqual(kills * (CONCURRENCY + UNSETTLED[kind.name]));
    },
    whole(1_200_000, 120_000),
  );
});
