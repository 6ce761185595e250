import { expect, it } from '@jest/globals';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { CONCURRENCY } from './support/settings.js';
import { Stage } from './support/stage.js';

const NOTIFICATIONS = whole(5000, 400);

describeOnMariadb('three instances', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  it.each([
    ['alike', [{}, {}, {}]],
    ['with one API and two workers', [{ ROLE: 'api' }, { ROLE: 'worker' }, { ROLE: 'worker' }]],
  ])(
    '(%s) send everything once, and lose nothing when one is killed',
    async (name, processes) => {
      stage = await Stage.on(database, { processes: processes as Record<string, string>[] });
      const { services, receiver, load } = stage;
      receiver.delayMs = 50;
      load.start();
      await until(() => load.accepted.size >= NOTIFICATIONS, { withinMs: 120_000, what: 'load' });
      await stage.settle();
      report(`6 three instances ${name}`, { ...stage.figures() });
      expect(receiver.duplicates).toBe(0);

      receiver.delayMs = 200;
      receiver.hold();
      load.start();
      // More than the other senders can have in flight, so the third must have some.
      const senders = processes.filter((env) => !('ROLE' in env) || env.ROLE === 'worker').length;
      const goal = (senders - 1) * CONCURRENCY + 50;
      await until(() => receiver.inFlight >= goal, { withinMs: 30_000, what: `${goal} in flight` });
      await services[2]?.end('SIGKILL');
      await receiver.seeCuts();
      expect(receiver.cutAndMissing).toBeGreaterThan(0);
      receiver.release();
      await until(() => receiver.cutAndMissing === 0, { withinMs: 20_000, what: 'taking over' });
      await stage.settle();
      const figures = stage.figures();
      report(`6 three instances ${name}, one killed`, {
        ...figures,
        'longest pause': seconds(receiver.longestResendMs),
      });
      expect(figures.duplicates).toBeLessThanOrEqual(CONCURRENCY);
    },
    whole(300_000, 60_000),
  );
});
