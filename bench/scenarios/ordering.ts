import type { Latency } from '../processes/receiver.js';
import type { DatabaseKind } from '../support/database.js';
import { recordOf } from '../support/record.js';
import type { Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene, USER } from '../support/scene.js';
import { type Running, startService } from '../support/service.js';
import { startEmitter } from './emit.js';

const RECORDS = 200;
const FAILING = 0.1;
/** Notifications sent first, so that code is compiled and connections are open. */
const WARM_UP = 200;
const SETTINGS = { concurrency: 100, retry_schedule_seconds: Array(20).fill(0.05) };

const subscriber = (settings: object) => ({ userId: USER, path: '/hook', settings });

/** Changes of 200 records to one webhook by three processes, of which a tenth of the attempts fails: in order, and not. */
export const ordering: Scenario = {
  name: 'ordering',
  group: 'ordering',
  perDatabase: true,
  async open({ deliveries }, kind) {
    const count = Math.ceil(deliveries / 4);
    return {
      async run() {
        const without = await deliveredPerSecond(kind, count, 'none');
        return { 'ordering-none': without, ordering: await deliveredPerSecond(kind, count, 'record') };
      },
    };
  },
};

async function deliveredPerSecond(kind: DatabaseKind, count: number, ordering: string): Promise<number> {
  const scene = await Scene.open(kind, [subscriber({ ...SETTINGS, ordering })]);
  // SQLite has one process.
  const processes = kind === 'sqlite' ? 1 : 3;
  const services: Running[] = [];
  for (let n = 0; n < processes; n++) services.push(await startService(scene.database.url, 'both'));
  const load = (each: number) =>
    Promise.all(services.map(({ origin }) => generateLoad(origin, each, '/v1/notification', RECORDS)));
  await load(WARM_UP);
  await scene.arrive(WARM_UP * processes);
  await scene.receiver.call('reset', { fail: FAILING });
  const each = Math.ceil(count / processes);
  const loaded = await load(each);
  const { last } = await scene.arrive(each * processes);
  await scene.checkSucceeded('1 = 1', (WARM_UP + each) * processes);
  for (const service of services) await service.stop();
  await scene.close();
  return rate(each * processes, Math.min(...loaded.map(({ first }) => first)), last);
}

const MANY_RECORDS = 1000;
const PER_SECOND = 300;
const STUCK = recordOf(0).id;

/** How one record that waits for its retry affects the others of an ordered webhook, at an even pace. */
export const orderedStuck: Scenario = {
  name: 'ordered-stuck',
  group: 'ordered-stuck',
  perDatabase: true,
  async open({ quick }, kind) {
    const seconds = quick ? 6 : 20;
    return {
      async run() {
        const without = await othersP99(kind, seconds, null);
        return { 'stuck-none': without, 'stuck-record': await othersP99(kind, seconds, STUCK) };
      },
    };
  },
};

async function othersP99(kind: DatabaseKind, seconds: number, stick: string | null): Promise<number> {
  const settings = { ordering: 'record', concurrency: 100, retry_schedule_seconds: [600] };
  const scene = await Scene.open(kind, [subscriber(settings)]);
  const emitter = await startEmitter(scene);
  const pace = (length: number) =>
    emitter.call<number>('pace', {
      ...{ perSecond: PER_SECOND, seconds: length, users: [USER], records: MANY_RECORDS },
    });
  const others = (count: number) => count - (stick === null ? 0 : Math.ceil(count / MANY_RECORDS));
  await scene.arrive(await pace(3));
  await scene.receiver.call('reset', { latency: true, stick });
  await scene.arrive(others(await pace(seconds)));
  const { p99 } = await scene.receiver.call<Latency>('latency');
  await emitter.stop();
  await scene.close();
  return p99;
}
