import { describe, expect, it } from '@jest/globals';
import { timeOfId } from '../../src/platform/ids/first-id.js';
import { countedOneByOne } from '../support/counted.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { startProcessOn } from '../system/support/process.js';
import { report, seconds, someOf, whole } from '../system/support/suite.js';
import { Load } from './support/load.js';
import { queriesOn } from './support/queries.js';
import { CountingReceiver } from './support/receiver.js';
import { SERVICE_ENV } from './support/settings.js';

const USERS = whole(10, 4);
const WEBHOOKS_EACH = whole(100, 25);
const DRAIN_MS = whole(300_000, 5_000);
/** Large enough that the process never runs out of work. */
const MAX_BACKLOG = 20_000;
const MAX_BEHIND_MS = whole(10_000, 30_000);

describe.each(someOf(databases))('statistics of many webhooks on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  it(
    'are never ten seconds behind while as much is sent as can be',
    async () => {
      const receiver = await CountingReceiver.start();
      database.defer(() => receiver.close());
      const service = await startProcessOn(database, SERVICE_ENV);
      const users = Array.from({ length: USERS }, () => newUser());
      for (const user_id of users)
        for (let made = 0; made < WEBHOOKS_EACH; made++)
          await createWebhook(service, { user_id, url: receiver.url, events: ['RECORD_FINISHED'] });
      const backlog = (): number =>
        loads.reduce((sum, { accepted }) => sum + accepted.size * WEBHOOKS_EACH, 0) - receiver.arrivals;
      const isEnough = () => backlog() > MAX_BACKLOG;
      const loads = users.map((userId) => new Load({ userId, urls: [service.url], workers: 1, isEnough }));
      database.defer(() => Promise.all(loads.map((load) => load.close())));
      const query = await queriesOn(database);
      const behindMs = async () => {
        const [delta] = await query<{ oldest: string | null }>(
          'SELECT MIN(id) AS oldest FROM webhook_statistic_delta',
        );
        const oldest = delta?.oldest ?? null;
        return oldest === null ? 0 : Date.now() - timeOfId(oldest);
      };
      for (const load of loads) load.start();
      const begin = Date.now();
      let mostMs = 0;
      await until(
        async () => {
          mostMs = Math.max(mostMs, await behindMs());
          return Date.now() - begin >= DRAIN_MS;
        },
        { withinMs: DRAIN_MS + 30_000, everyMs: 250, what: 'the end of the drain' },
      );
      const sent = receiver.arrivals;
      await Promise.all(loads.map((load) => load.stop()));
      await until(() => backlog() <= 0, { withinMs: 120_000, what: 'that all has arrived' });
      await until(async () => (await behindMs()) === 0, { withinMs: 60_000, what: 'that all is added up' });
      const { counts } = await countedOneByOne(query);
      const { body } = await service.call('GET', '/v1/webhook/stats');
      report(`11 statistics while draining, ${kind.name}`, {
        webhooks: USERS * WEBHOOKS_EACH,
        'deliveries a second': Math.round((sent / DRAIN_MS) * 1000),
        'most behind': seconds(mostMs),
        attempts: counts.attempts,
        counted: body.total.attempts,
      });
      expect(body.total).toMatchObject(counts as never);
      expect(mostMs).toBeLessThan(MAX_BEHIND_MS);
    },
    DRAIN_MS + whole(900_000, 240_000),
  );
});
