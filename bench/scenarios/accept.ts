import { Profiler } from '../support/profile.js';
import type { Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene } from '../support/scene.js';
import { startService } from '../support/service.js';

/** Notifications sent first, so that code is compiled and connections are open. */
const WARM_UP = 5000;

/** Posted over REST and stored, with nobody subscribed: the cost of accepting alone. */
export const accept: Scenario = {
  name: 'accept',
  group: 'throughput',
  perDatabase: true,
  async open({ deliveries, profile }, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind, []);
        const profiler = profile ? new Profiler() : null;
        const service = await startService(scene.database.url, 'both', profiler?.nodeOptions);
        await generateLoad(service.origin, WARM_UP);
        const loaded = await generateLoad(service.origin, deliveries);
        await service.stop();
        profiler?.print(`accept on ${kind}`);
        const sql = 'SELECT COUNT(*) AS n FROM webhook_notification';
        const [stored] = await scene.database.query<{ n: number }>(sql);
        if (Number(stored?.n) !== WARM_UP + deliveries)
          throw new Error(
            `DOES NOT CHECK OUT: ${stored?.n} notifications are stored, not ${WARM_UP + deliveries}`,
          );
        await scene.close();
        return { accept: rate(deliveries, loaded.first, loaded.last) };
      },
    };
  },
};
