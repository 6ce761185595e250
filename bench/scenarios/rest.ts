import { Profiler } from '../support/profile.js';
import type { Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene, WEBHOOKS } from '../support/scene.js';
import { startService } from '../support/service.js';

/** Notifications sent first, so that code is compiled and connections are open. */
export const WARM_UP = 200;

/** End to end: posted over REST, stored, sent. */
export const rest: Scenario = {
  name: 'rest',
  group: 'throughput',
  perDatabase: true,
  async open({ deliveries, profile }, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind);
        const profiler = profile ? new Profiler() : null;
        const service = await startService(scene.database.url, 'both', profiler?.nodeOptions);
        await generateLoad(service.origin, WARM_UP);
        await scene.arrive(WARM_UP * WEBHOOKS);
        const loaded = await generateLoad(service.origin, deliveries / WEBHOOKS);
        const { last } = await scene.arrive(WARM_UP * WEBHOOKS + deliveries);
        await scene.check(WARM_UP * WEBHOOKS + deliveries);
        await service.stop();
        profiler?.print(`rest on ${kind}`);
        await scene.close();
        return {
          rest: rate(deliveries, loaded.first, last),
          'rest-accepted': rate(deliveries / WEBHOOKS, loaded.first, loaded.last),
        };
      },
    };
  },
};
