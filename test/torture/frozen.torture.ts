import { expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { ServiceProcess } from '../system/support/process.js';
import { report, whole } from '../system/support/suite.js';
import { SERVICE_ENV } from './support/settings.js';
import { WatchingReceiver } from './support/watching-receiver.js';

const ROUNDS = Number(process.env.FREEZES ?? whole(20, 3));
const RECORDS = 20;
const CHANGES = 3;
const WEBHOOKS = ['/ordered', '/plain'];
/** Few enough that more wait in the memory of each process than are under way. */
const CONCURRENCY = 3;

describeOnMariadb('a process that is frozen', (kind) => {
  const database = useDatabase(kind, 'test');
  let connection: Connection;

  const instances = async () => {
    const [rows] = await connection.query<RowDataPacket[]>('SELECT COUNT(*) AS count FROM webhook_instance');
    return rows[0]?.count as number;
  };

  it(
    'sends nothing that others have taken over when it goes on',
    async () => {
      connection = await createConnection(database.url);
      database.defer(() => connection.end());
      const receiver = await WatchingReceiver.start();
      database.defer(() => receiver.close());
      const services: ServiceProcess[] = [];
      for (let made = 0; made < 3; made++) {
        const service = await ServiceProcess.at({ ...SERVICE_ENV, DATABASE_URL: database.url });
        database.defer(() => service.end('SIGKILL'));
        await service.start();
        services.push(service);
      }
      const user = newUser();
      for (const path of WEBHOOKS) {
        const ordering = path === '/ordered' ? { ordering: 'record' } : {};
        await createWebhook(services[0] as ServiceProcess, {
          ...{ user_id: user, url: receiver.url + path, events: ['RECORD_FINISHED'] },
          settings: { concurrency: CONCURRENCY, ...ordering },
        });
      }
      let expected = 0;
      const change = async (service: ServiceProcess, record: number, number: number) => {
        const { status, text } = await notify(service, user, {
          record: { id: `rec_${record}`, change: number, analysis: [] },
        });
        if (status !== 202) throw new Error(`Not accepted: ${text}`);
        expected += WEBHOOKS.length;
      };
      const allArrived = () =>
        until(() => receiver.arrived === expected, { withinMs: 60_000, what: `${expected} to arrive` });
      let taken = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const frozen = services[round % services.length] as ServiceProcess;
        receiver.hold();
        for (let number = round * CHANGES + 1; number <= (round + 1) * CHANGES; number++)
          await Promise.all(Array.from({ length: RECORDS }, (_, record) => change(frozen, record, number)));
        await until(() => receiver.unanswered >= CONCURRENCY * WEBHOOKS.length, {
          what: 'attempts under way',
        });
        frozen.signal('SIGSTOP');
        const before = receiver.arrivals;
        receiver.release();
        await until(async () => (await instances()) === 2, { withinMs: 30_000, what: 'taking it for dead' });
        await allArrived();
        taken += receiver.arrivals - before;
        receiver.watch(true);
        frozen.signal('SIGCONT');
        await until(async () => (await instances()) === 3, { withinMs: 30_000, what: 'its registration' });
        await until(async () => (await frozen.readiness()) === 200, { what: 'readiness' });
        receiver.watch(false);
      }
      await change(services[0] as ServiceProcess, 0, ROUNDS * CHANGES + 1);
      await allArrived();
      const { arrivals, outOfOrder, repeated } = receiver;
      report('5 SIGSTOP, what waited in memory', {
        ...{ rounds: ROUNDS, arrivals, 'arrived meanwhile': taken },
        ...{ 'out of order': outOfOrder.length, 'repeated when it went on': repeated.length },
      });
      expect({ outOfOrder, repeated }).toEqual({ outOfOrder: [], repeated: [] });
    },
    60_000 + ROUNDS * 30_000,
  );
});
