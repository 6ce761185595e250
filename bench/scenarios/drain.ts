import { cpuUs } from '../support/processor-time.js';
import { Profiler } from '../support/profile.js';
import type { Scenario } from '../support/scenario.js';
import { rate, Scene } from '../support/scene.js';
import { startService } from '../support/service.js';

/** Sends a stored backlog as fast as possible; measured from the first arrival to the last. */
export const drain: Scenario = {
  name: 'drain',
  group: 'throughput',
  perDatabase: true,
  async open({ deliveries, profile }, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind);
        await scene.storeBacklog(deliveries);
        const profiler = profile ? new Profiler() : null;
        const { perSecond, cpu } = await drainBacklog(scene, deliveries, profiler?.nodeOptions);
        profiler?.print(`drain on ${kind}`);
        await scene.close();
        return { drain: perSecond, 'drain-cpu': cpu };
      },
    };
  },
};

/** @returns deliveries a second, and microseconds of the service's processor time for each, its start left out */
export async function drainBacklog(
  scene: Scene,
  deliveries: number,
  nodeOptions: string[] = [],
): Promise<{ perSecond: number; cpu: number }> {
  const before = await scene.succeeded();
  await scene.receiver.call('reset', {});
  const service = await startService(scene.database.url, 'worker', nodeOptions);
  const started = cpuUs(service.pid);
  const { first, last } = await scene.arrive(deliveries);
  await scene.check(deliveries, before);
  const cpu = (cpuUs(service.pid) - started) / deliveries;
  await service.stop();
  return { perSecond: rate(deliveries, first, last), cpu };
}
