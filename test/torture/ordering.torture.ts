import { describe, expect, it } from '@jest/globals';
import { toldBy } from '../delivery/groups.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { startProcessOn } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { SERVICE_ENV } from './support/settings.js';

const RECORDS = whole(200, 40);
const CHANGES = whole(50, 10);
const KILLS = whole(5, 1);
const FAILING = 0.1;

describe.each(databases)('changes of records on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  it(
    'arrive in order, one at a time and all, while processes are killed',
    async () => {
      const outOfOrder: string[] = [];
      const atOnce: string[] = [];
      const delivered = new Set<string>();
      const highest = new Map<string, number>();
      const underWay = new Map<string, number>();
      receiver.respondWith(async (request) => {
        const { record, change } = toldBy(request);
        const one = `${record} ${change}`;
        const latest = highest.get(record) ?? 0;
        if (change < latest) outOfOrder.push(`${one} after ${latest}`);
        highest.set(record, Math.max(latest, change));
        const other = underWay.get(record) ?? change;
        if (other !== change) atOnce.push(`${one} beside ${other}`);
        underWay.set(record, change);
        // A moment, so that attempts which are not one at a time meet.
        await new Promise((resolve) => setImmediate(resolve));
        underWay.delete(record);
        if (Math.random() < FAILING) return { status: 500 };
        delivered.add(one);
        return {};
      });
      // SQLite has one process.
      const services = [await startProcessOn(database, SERVICE_ENV)];
      if (kind.name !== 'SQLite')
        for (const _ of [2, 3]) services.push(await startProcessOn(database, SERVICE_ENV));
      const serviceAt = (turn: number) => services[turn % services.length] as (typeof services)[0];
      const user = newUser();
      await createWebhook(serviceAt(0), {
        ...{ user_id: user, url: receiver.url, events: ['RECORD_FINISHED'] },
        settings: { ordering: 'record', concurrency: 100, retry_schedule_seconds: Array(20).fill(0.05) },
      });
      let tries = 0;
      // Each try goes to the next process. The key lets it count once, whatever became of the one before.
      const isAccepted = (id: string, change: number) => {
        const body = { event_kind: 'RECORD_FINISHED', user_id: user, record: { id, change, analysis: [] } };
        const headers = { 'idempotency-key': `${user}-${id}-${change}` };
        return serviceAt(tries++)
          .call('POST', '/v1/notification', body, { headers })
          .then(({ status }) => status === 202)
          .catch(() => false);
      };
      const reportAll = async (record: string) => {
        for (let change = 1; change <= CHANGES; change++)
          await until(() => isAccepted(record, change), { everyMs: 50, what: 'being accepted' });
      };
      const begin = performance.now();
      const reported = Promise.all(
        Array.from({ length: RECORDS }, (_, record) => reportAll(`rec_${record}`)),
      );
      const all = RECORDS * CHANGES;
      const whenDelivered = (count: number) =>
        until(() => delivered.size >= count, { withinMs: 120_000, what: `${count} delivered` });
      for (let kill = 1; kill <= KILLS; kill++) {
        await whenDelivered((all * kill) / (KILLS + 1));
        await serviceAt(kill).end('SIGKILL');
        await serviceAt(kill).start();
      }
      await reported;
      await whenDelivered(all);
      const [arrivals, took] = [receiver.requests.length, seconds(performance.now() - begin)];
      report(`13 order of ${RECORDS} records, ${kind.name}`, {
        ...{ processes: services.length, kills: KILLS, tries, arrivals, delivered: delivered.size, took },
        ...{ 'out of order': outOfOrder.length, 'at once': atOnce.length },
      });
      expect({ outOfOrder, atOnce }).toEqual({ outOfOrder: [], atOnce: [] });
    },
    whole(600_000, 120_000),
  );
});
