import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';
import { terminate } from './support/terminate.js';

const IN_FLIGHT = 200;

describe.each(databases)('SIGTERM on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  it(
    'under load loses nothing and sends nothing twice',
    async () => {
      const times = whole(20, 2);
      stage = await Stage.on(database);
      const { service, receiver, load } = stage;
      receiver.delayMs = 250;
      load.start();
      let longestMs = 0;
      for (let round = 0; round < times; round++) {
        await until(() => receiver.inFlight >= IN_FLIGHT, { withinMs: 30_000, what: 'load' });
        const { ms, ...exit } = await terminate(service);
        expect({ round, ...exit }).toEqual({ round, code: 0, signal: null });
        longestMs = Math.max(longestMs, ms);
        await service.start();
      }
      await stage.settle();
      const figures = stage.figures();
      report(`4 SIGTERM, ${kind.name}`, { times, ...figures, 'longest exit': seconds(longestMs) });
      expect(figures.duplicates).toBe(0);
      expect(longestMs).toBeLessThan(30_000);
    },
    whole(300_000, 60_000),
  );

  if (whole(false, true)) return;

  it('ends the process in time even if receivers never answer', async () => {
    stage = await Stage.on(database, { processes: [{ DELIVERY_TIMEOUT_MS: '30000' }] });
    const { service, receiver, load } = stage;
    receiver.hold();
    load.start();
    await until(() => receiver.inFlight >= IN_FLIGHT, { withinMs: 30_000, what: 'load' });
    const { ms, ...exit } = await terminate(service);
    await service.start();
    await stage.settle();
    report(`4 SIGTERM, receivers silent, ${kind.name}`, { ...stage.figures(), exit: seconds(ms) });
    expect(exit).toEqual({ code: 0, signal: null });
    expect(ms).toBeLessThan(32_000);
  }, 120_000);
});
