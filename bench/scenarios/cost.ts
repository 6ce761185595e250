import { Galera, missingForGalera } from '../../test/cluster/support/galera.js';
import { hasMariadb, PrivateMariadb } from '../../test/system/support/mariadb.js';
import { cpuUs } from '../support/processor-time.js';
import type { Figures, Scenario } from '../support/scenario.js';
import { generateLoad, rate, Scene, WEBHOOKS } from '../support/scene.js';
import { startService } from '../support/service.js';
import { WARM_UP } from './rest.js';

/** Database servers of one kind; the first is the one that is written to. */
interface Servers {
  url: string;
  pids: number[];
  close(): Promise<void>;
}

const PLACES: Record<string, () => Promise<Servers>> = {
  alone: async () => {
    const mariadb = await PrivateMariadb.start();
    return {
      url: mariadb.url.replace(/\/torture$/, ''),
      pids: [mariadb.pid],
      close: () => mariadb.close(),
    };
  },
  galera: async () => {
    const cluster = await Galera.start();
    return {
      url: (cluster.nodes[0]?.url ?? '').replace(/\/cluster$/, ''),
      pids: cluster.nodes.map(({ pid }) => pid),
      close: () => cluster.close(),
    };
  },
};

/**
 * Microseconds of processor time a delivery: of the service, of the database server that it writes to, and of one that only
 * replicates, while notifications are posted and sent as in `rest`.
 */
export const cost: Scenario = {
  name: 'cost',
  group: 'cost',
  perDatabase: false,
  async missing() {
    const missing = [...(hasMariadb ? [] : ['mariadbd']), ...missingForGalera];
    return missing.length > 0 ? `it needs ${missing.join(', ')}` : null;
  },
  async open({ deliveries }) {
    return {
      async run() {
        const figures: Figures = {};
        for (const [name, start] of Object.entries(PLACES)) {
          const servers = await start();
          try {
            Object.assign(figures, await measure(name, servers, deliveries));
          } finally {
            await servers.close();
          }
        }
        return figures;
      },
    };
  },
};

async function measure(name: string, { url, pids }: Servers, deliveries: number): Promise<Figures> {
  const scene = await Scene.open('mariadb', undefined, url);
  const service = await startService(scene.database.url, 'both');
  await generateLoad(service.origin, WARM_UP);
  await scene.arrive(WARM_UP * WEBHOOKS);
  const before = [service.pid, ...pids].map(cpuUs);
  const loaded = await generateLoad(service.origin, deliveries / WEBHOOKS);
  const { last } = await scene.arrive(WARM_UP * WEBHOOKS + deliveries);
  await scene.check(WARM_UP * WEBHOOKS + deliveries);
  const used = [service.pid, ...pids].map((pid, index) => (cpuUs(pid) - (before[index] ?? 0)) / deliveries);
  await service.stop();
  await scene.close();
  const [ofService = 0, ofWriter = 0, ...ofReplicas] = used;
  return {
    [`${name}-service`]: ofService,
    [`${name}-writer`]: ofWriter,
    ...(ofReplicas.length > 0 && {
      [`${name}-replica`]: ofReplicas.reduce((sum, one) => sum + one, 0) / ofReplicas.length,
    }),
    [`${name}-rate`]: rate(deliveries, loaded.first, last),
  };
}
