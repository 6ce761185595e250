import type { Arrivals } from '../processes/receiver.js';
import { Child } from '../support/child.js';
import type { Scenario } from '../support/scenario.js';
import { checkCounts, rate, WEBHOOKS } from '../support/scene.js';

/** Concurrent attempts to one webhook, the default of the service. */
const WEBHOOK_CONCURRENCY = 10;

/** The upper bound of any sender on undici: requests in a loop, and nothing else. */
export const bare: Scenario = {
  name: 'bare',
  group: 'throughput',
  perDatabase: false,
  async open({ deliveries }) {
    return {
      async run() {
        const receiver = await Child.start('receiver');
        const sender = await Child.start('bare');
        const origin = `http://127.0.0.1:${await receiver.call<number>('listen')}`;
        await sender.call('run', { origin, count: deliveries, connections: WEBHOOKS * WEBHOOK_CONCURRENCY });
        const arrivals = await receiver.call<Arrivals>('arrivals');
        await Promise.all([receiver.kill(), sender.kill()]);
        checkCounts(arrivals, deliveries, deliveries);
        return { bare: rate(deliveries, arrivals.first, arrivals.last) };
      },
    };
  },
};
