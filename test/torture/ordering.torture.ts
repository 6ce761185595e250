import { describe, expect, it } from '@jest/globals';
import { ADMIN_KEY } from '../support/call.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { ServiceProcess } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { Changes } from './support/changes.js';
import { OrderedReceiver } from './support/ordered-receiver.js';
import { SERVICE_ENV } from './support/settings.js';

const RECORDS = whole(200, 40);
const CHANGES = whole(50, 10);
const KILLS = whole(5, 1);
const FAILING = 0.1;

describe.each(databases)('changes of records on $name', (kind) => {
  const database = useDatabase(kind, 'test');

  it(
    'arrive in order, one at a time and all, while processes are killed',
    async () => {
      const receiver = await OrderedReceiver.start(FAILING);
      database.defer(() => receiver.close());
      const env = { ...SERVICE_ENV, DATABASE_URL: database.url };
      // SQLite has one process.
      const count = kind.name === 'SQLite' ? 1 : 3;
      const services: ServiceProcess[] = [];
      for (let made = 0; made < count; made++) {
        const service = await ServiceProcess.at(env);
        database.defer(() => service.end('SIGKILL'));
        await service.start();
        services.push(service);
      }
      const user = newUser();
      await createWebhook(services[0] as ServiceProcess, {
        ...{ user_id: user, url: receiver.url, events: ['RECORD_FINISHED'] },
        settings: { ordering: 'record', concurrency: 100, retry_schedule_seconds: Array(20).fill(0.05) },
      });
      const changes = new Changes(
        services.map(({ url }) => url),
        ADMIN_KEY,
        user,
      );
      database.defer(() => changes.close());
      const begin = performance.now();
      const reported = changes.report(RECORDS, CHANGES);
      const all = RECORDS * CHANGES;
      for (let kill = 1; kill <= KILLS; kill++) {
        const share = (all * kill) / (KILLS + 1);
        await until(() => receiver.delivered >= share, { withinMs: 120_000, what: `${share} delivered` });
        const service = services[kill % services.length] as ServiceProcess;
        await service.end('SIGKILL');
        await service.start();
      }
      await reported;
      await until(() => receiver.delivered === all, {
        withinMs: 120_000,
        what: 'that nothing is lost',
      });
      const ms = performance.now() - begin;
      report(`13 order of ${RECORDS} records, ${kind.name}`, {
        ...{ processes: count, kills: KILLS, accepted: changes.accepted, repeated: changes.repeated },
        ...{ arrivals: receiver.arrivals, refused: receiver.refused, delivered: receiver.delivered },
        ...{
          'out of order': receiver.outOfOrder.length,
          'at once': receiver.atOnce.length,
          took: seconds(ms),
        },
      });
      expect(receiver.outOfOrder).toEqual([]);
      expect(receiver.atOnce).toEqual([]);
    },
    whole(600_000, 120_000),
  );
});
