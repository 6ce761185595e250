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
        const perSecond = await drainBacklog(scene, deliveries, profiler?.nodeOptions);
        profiler?.print(`drain on ${kind}`);
        await scene.close();
        return { drain: perSecond };
      },
    };
  },
};

/** @returns deliveries a second */
export async function drainBacklog(
  scene: Scene,
  deliveries: number,
  nodeOptions: string[] = [],
): Promise<number> {
  const before = await scene.succeeded();
  await scene.receiver.call('reset', {});
  const service = await startService(scene.database.url, 'worker', nodeOptions);
  const { first, last } = await scene.arrive(deliveries);
  await scene.check(deliveries, before);
  await service.stop();
  return rate(deliveries, first, last);
}
