import { tmpdir } from 'node:os';
import { Child } from '../support/child.js';
import type { Scenario } from '../support/scenario.js';
import { Scene, USER, WEBHOOKS } from '../support/scene.js';
import { SERVICE_ENV } from '../support/service.js';
import { pause } from '../support/stats.js';

const EVENTS = 5000;
/** Events emitted before the measurement, so that neither half runs cold code. */
const WARM_UP = 1000;
const QUIET_MS = 5000;

/** How a burst of events affects an application that embeds the module and answers its own calls. */
export const burst: Scenario = {
  name: 'burst',
  group: 'burst',
  perDatabase: true,
  async open(_options, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind);
        const host = await Child.start('host', {
          env: { ...SERVICE_ENV, DATABASE_URL: scene.database.url },
          cwd: tmpdir(),
        });
        const pinger = await Child.start('pinger');
        const url = `${await host.call<string>('url')}/ping`;
        await host.call('burst', { count: WARM_UP, userId: USER });
        await scene.arrive(WARM_UP * WEBHOOKS);
        await pinger.call('start', { url });
        await pause(QUIET_MS);
        const quiet = await pinger.call<number>('stop');
        await pinger.call('start', { url });
        const emitted = await host.call<number>('burst', { count: EVENTS, userId: USER });
        await scene.arrive((WARM_UP + EVENTS) * WEBHOOKS);
        const longest = await host.call<number>('longest');
        const busy = await pinger.call<number>('stop');
        await scene.check((WARM_UP + EVENTS) * WEBHOOKS);
        await Promise.all([host.stop(), pinger.kill()]);
        await scene.close();
        return {
          'burst-emit': emitted,
          'burst-longest': longest,
          'burst-ping-quiet': quiet,
          'burst-ping': busy,
        };
      },
    };
  },
};
