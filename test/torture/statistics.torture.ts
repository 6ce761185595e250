import { describe, expect, it } from '@jest/globals';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { countedOneByOne } from '../support/counted.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { report, someOf, whole } from '../system/support/suite.js';
import { Stage } from './support/stage.js';

/** Attempts that end before a process is killed: enough for some of them to be added up. */
const ATTEMPTS = 400;

describe.each(someOf(databases))('statistics through kill -9 on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  it(
    'equal the attempts that are stored',
    async () => {
      const kills = whole(20, 2);
      // On MariaDB the one that adds up is killed as often as the other one.
      const processes = kind.name === 'SQLite' ? [{}] : [{}, {}];
      const stage = await Stage.on(database, { processes });
      const { services, receiver, load } = stage;
      receiver.delayMs = 50;
      load.start();
      for (let round = 0; round < kills; round++) {
        const service = services[round % services.length];
        const goal = receiver.arrivals + ATTEMPTS * (1 + (round % 3));
        await until(() => receiver.arrivals > goal, { withinMs: 60_000, what: `${ATTEMPTS} attempts` });
        await service?.end('SIGKILL');
        await service?.start();
      }
      await stage.settle(120_000);
      const figures = stage.figures();
      const total = async (query = '') =>
        (await stage.service.call('GET', `/v1/webhook/stats${query}`)).body.total;
      const before = await total();
      const dataSource = await createDataSource({
        ...dataSourceOptions(database.url),
        migrationsRun: false,
      }).initialize();
      const query = (sql: string) => dataSource.query(sql);
      try {
        const { counts } = await countedOneByOne(query);
        expect(before).toMatchObject(counts as never);
        const left = async () =>
          Number((await query('SELECT COUNT(*) AS count FROM webhook_statistic_delta'))[0].count);
        await until(async () => (await left()) === 0, { withinMs: 60_000, what: 'that all is added up' });
        for (const step of ['minute', 'hour', 'day']) expect(await total(`?step=${step}`)).toEqual(before);
        report(`11 statistics, ${kind.name}`, {
          kills,
          ...figures,
          attempts: counts.attempts,
          counted: before.attempts,
        });
      } finally {
        await dataSource.destroy();
      }
    },
    whole(600_000, 180_000),
  );
});
