import { afterEach, expect, it } from '@jest/globals';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import type { ServiceProcess } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { queriesOn } from './support/queries.js';
import { Stage } from './support/stage.js';

/** Triggers that did not succeed, with attempts that are not numbered 1, 2, ... or without exactly one success among them. */
const INCONSISTENT = `SELECT t.id, t.status, t.attempt_count, a.attempts, a.last, a.succeeded
  FROM webhook_trigger AS t LEFT JOIN (
    SELECT trigger_id, COUNT(*) AS attempts, MAX(number) AS last, SUM(error_code IS NULL) AS succeeded
    FROM webhook_attempt GROUP BY trigger_id) AS a ON a.trigger_id = t.id
  WHERE t.status <> 'SUCCEEDED' OR t.leased_by <> ''
    OR NOT (a.attempts <=> t.attempt_count AND a.last <=> t.attempt_count AND a.succeeded <=> 1) LIMIT 10`;

describeOnMariadb('instances that are frozen by turns', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  afterEach(() => {
    for (const service of stage.services) service.signal('SIGCONT');
  });

  it(
    'lose nothing, and store no result of what others took over',
    async () => {
      const times = whole(10, 2);
      stage = await Stage.on(database, { processes: [{}, {}] });
      const query = await queriesOn(database);
      const areListed = (count: number) =>
        until(async () => (await query('SELECT id FROM webhook_instance')).length === count, {
          ...{ withinMs: 15_000, what: `${count} instances in the list` },
        });
      const { services, receiver, load } = stage;
      const urls = services.map(({ url }) => url);
      receiver.delayMs = 100;
      load.start();
      for (let round = 0; round < times; round++) {
        const frozen = services[round % 2] as ServiceProcess;
        await areListed(2);
        await until(() => receiver.inFlight >= 100, { withinMs: 30_000, what: 'load' });
        load.options.urls = urls.filter((url) => url !== frozen.url);
        frozen.signal('SIGSTOP');
        await areListed(1);
        frozen.output = '';
        frozen.signal('SIGCONT');
        await until(() => /was without a heartbeat/.test(frozen.output), {
          ...{ withinMs: 20_000, what: 'knowing that others have the leases' },
        });
        load.options.urls = urls;
      }
      await stage.settle();
      expect(await query(INCONSISTENT)).toEqual([]);
      const pause = seconds(receiver.longestPauseMs);
      report('5 SIGSTOP under load', { times, ...stage.figures(), 'longest pause': pause });
    },
    whole(300_000, 90_000),
  );
});
