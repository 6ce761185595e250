import { tmpdir } from 'node:os';
import type { Loaded } from '../processes/load.js';
import type { Latency } from '../processes/receiver.js';
import { Child } from '../support/child.js';
import type { DatabaseKind } from '../support/database.js';
import type { Options } from '../support/options.js';
import { Profiler } from '../support/profile.js';
import type { Scenario } from '../support/scenario.js';
import { CONNECTIONS, rate, Scene, USER, WEBHOOKS } from '../support/scene.js';
import { SERVICE_ENV } from '../support/service.js';
import { WARM_UP } from './rest.js';

/** The last measured rate, by database. The latency is measured at a fifth of it. */
const saturation = new Map<DatabaseKind, number>();

export const startEmitter = (scene: Scene, execArgv: string[] = [], env: Record<string, string> = {}) =>
  Child.start('emitter', {
    env: { ...SERVICE_ENV, DATABASE_URL: scene.database.url, ...env },
    execArgv,
    cwd: tmpdir(),
  });

/** In process: emitted on the EventEmitter2 of an application that embeds the service. */
export const emit: Scenario = {
  name: 'emit',
  group: 'throughput',
  perDatabase: true,
  async open(options, kind) {
    return { run: () => saturate(options, kind) };
  },
};

/** From emit to arrival, with the service at a fifth of its rate. */
export const latency: Scenario = {
  name: 'latency',
  group: 'throughput',
  perDatabase: true,
  async open(options, kind) {
    return {
      async run() {
        if (!saturation.has(kind)) await saturate(options, kind);
        const perSecond = (saturation.get(kind) ?? 0) / WEBHOOKS / 5;
        const scene = await Scene.open(kind);
        const emitter = await startEmitter(scene);
        await emitter.call('run', { count: WARM_UP, concurrency: CONNECTIONS, userId: USER });
        await scene.arrive(WARM_UP * WEBHOOKS);
        await scene.check(WARM_UP * WEBHOOKS);
        await scene.receiver.call('reset', { latency: true });
        const seconds = options.quick ? 5 : 10;
        const count = await emitter.call<number>('pace', { perSecond, seconds, users: [USER] });
        await scene.arrive(count * WEBHOOKS);
        await scene.check(count * WEBHOOKS, WARM_UP * WEBHOOKS);
        const { p50, p99 } = await scene.receiver.call<Latency>('latency');
        await emitter.stop();
        await scene.close();
        return { 'latency-p50': p50, 'latency-p99': p99 };
      },
    };
  },
};

async function saturate({ deliveries, profile }: Options, kind: DatabaseKind) {
  const scene = await Scene.open(kind);
  const profiler = profile ? new Profiler() : null;
  const emitter = await startEmitter(scene, profiler?.nodeOptions);
  await emitter.call('run', { count: WARM_UP, concurrency: CONNECTIONS, userId: USER });
  await scene.arrive(WARM_UP * WEBHOOKS);
  const count = deliveries / WEBHOOKS;
  const { first } = await emitter.call<Loaded>('run', { count, concurrency: CONNECTIONS, userId: USER });
  const { last } = await scene.arrive(WARM_UP * WEBHOOKS + deliveries);
  await scene.check(WARM_UP * WEBHOOKS + deliveries);
  await emitter.stop();
  profiler?.print(`emit on ${kind}`);
  await scene.close();
  const perSecond = rate(deliveries, first, last);
  saturation.set(kind, perSecond);
  return { emit: perSecond };
}
