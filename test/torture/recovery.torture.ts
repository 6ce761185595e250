import { beforeEach, describe, expect, it } from '@jest/globals';
import { FAILPOINTS } from '../../src/platform/failpoint.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { report, whole } from '../system/support/suite.js';
import { ended, recover, recovery } from '../webhook/recovery/scene.js';
import { Stage } from './support/stage.js';

const MISSED = whole(3000, 300);
const PER_SECOND = whole(100, 30);
const KILLS = whole(20, 2);
const PATH = '/recovered';

describe.each(databases)('kill -9 during a recovery on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let stage: Stage;

  beforeEach(async () => {
    stage = await Stage.on(database);
  });

  it(
    'makes nothing due twice, and leaves nothing out',
    async () => {
      const { service, receiver } = stage;
      const user = newUser();
      const ids: string[] = [];
      while (ids.length < MISSED) {
        const some = await Promise.all(Array.from({ length: 50 }, () => notify(service, user)));
        ids.push(...some.map(({ body }) => body.id as string));
      }
      const { id } = await createWebhook(service, { user_id: user, url: receiver.url + PATH });
      const { body: begun } = await recover(service, id, { missed: true, per_second: PER_SECOND });
      const points = FAILPOINTS.filter((name) => name.startsWith('replay-')).slice(whole(0, 2));
      let deaths = 0;
      const goesOn = async () => {
        const { done } = await recovery(service, begun.id);
        const isFurther = async () => {
          const now = await recovery(service, begun.id);
          return now.done > done || now.state !== 'RUNNING';
        };
        await until(isFurther, { withinMs: 30_000, what: 'going on' });
      };
      for (const name of points) {
        await service.end('SIGKILL');
        service.spawn({ FAILPOINT: `${name}@2` });
        await until(() => !service.isRunning, { withinMs: 30_000, what: `passing ${name}` });
        await service.start();
        deaths += 2;
      }
      for (let kill = 0; kill < KILLS; kill++) {
        if ((await recovery(service, begun.id)).state !== 'RUNNING') break;
        await goesOn();
        await service.end('SIGKILL');
        await service.start();
        deaths++;
      }
      const done = await ended(service, begun.id, whole(120_000, 60_000));
      await stage.settle();
      const lost = ids.filter((one) => !receiver.counts.has(`${PATH} ${one}`)).length;
      report(`kill -9 in a recovery, ${kind.name}`, {
        deaths,
        due: done.done,
        received: receiver.arrivals,
        lost,
        duplicates: receiver.duplicates,
      });
      expect(done).toMatchObject({ state: 'DONE', total: MISSED, done: MISSED });
      expect(lost).toBe(0);
      // What was being sent, or was not yet stored, at a death.
      expect(receiver.duplicates).toBeLessThanOrEqual(deaths * PER_SECOND);
      const rows = await service.call('GET', `/v1/webhook/trigger/list?webhook_id=${id}&limit=100`);
      expect(rows.body.data.length).toBe(100);
    },
    whole(600_000, 180_000),
  );
});
