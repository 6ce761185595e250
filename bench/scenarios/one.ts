import type { Latency } from '../processes/receiver.js';
import type { DatabaseKind } from '../support/database.js';
import type { Options } from '../support/options.js';
import { cpuUs } from '../support/processor-time.js';
import { Profiler } from '../support/profile.js';
import type { Figures, Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene, SHAPES, usersOf } from '../support/scene.js';
import { startService } from '../support/service.js';
import { drainBacklog } from './drain.js';

const WARM_UP = 2000;
const LOW_RATE = 50;
const users = usersOf(SHAPES.one);

/**
 * Ten users with a webhook each, so that a notification has one trigger: a backlog, notifications that are posted as fast as
 * they are answered, and few of them at an even pace.
 */
export const one: Scenario = {
  name: 'one',
  group: 'throughput',
  perDatabase: true,
  async open(options, kind) {
    return {
      async run() {
        return { ...(await drained(options, kind)), ...(await posted(options, kind)) };
      },
    };
  },
};

async function drained({ deliveries }: Options, kind: DatabaseKind): Promise<Figures> {
  const scene = await Scene.open(kind, SHAPES.one);
  await scene.storeBacklog(deliveries, users);
  const { perSecond, cpu } = await drainBacklog(scene, deliveries);
  await scene.close();
  return { 'one-drain': perSecond, 'one-drain-cpu': cpu };
}

async function posted({ deliveries, profile, quick }: Options, kind: DatabaseKind): Promise<Figures> {
  const scene = await Scene.open(kind, SHAPES.one);
  const profiler = profile ? new Profiler() : null;
  const service = await startService(scene.database.url, 'both', profiler?.nodeOptions);
  const post = (count: number, perSecond?: number) =>
    generateLoad(service.origin, count, '/v1/notification', count, users, perSecond);
  await post(WARM_UP);
  await scene.arrive(WARM_UP);
  const busyBefore = cpuUs(service.pid);
  const { first } = await post(deliveries);
  const { last } = await scene.arrive(WARM_UP + deliveries);
  const cpu = (cpuUs(service.pid) - busyBefore) / deliveries;
  await scene.check(WARM_UP + deliveries);
  await scene.receiver.call('reset', { latency: true });
  const few = LOW_RATE * (quick ? 5 : 20);
  await post(few, LOW_RATE);
  await scene.arrive(few);
  const { p50, p99 } = await scene.receiver.call<Latency>('latency');
  await service.stop();
  profiler?.print(`one on ${kind}`);
  await scene.close();
  return {
    'one-rest': rate(deliveries, first, last),
    'one-rest-cpu': cpu,
    'one-latency-p50': p50,
    'one-latency-p99': p99,
  };
}
