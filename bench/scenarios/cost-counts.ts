import { Counter } from '../support/counter.js';
import type { Counts } from '../support/counting.js';
import type { DatabaseKind } from '../support/database.js';
import { cpuUs } from '../support/processor-time.js';
import type { Figures, Scenario } from '../support/scenario.js';
import { generateLoad, Scene, SHAPES, usersOf, WEBHOOKS } from '../support/scene.js';
import { type Running, startService } from '../support/service.js';
import { pause } from '../support/stats.js';

/** How long the first attempts are left without an answer; less than the service waits for one. */
const CLOSED_MS = 5000;
/** A pace that every machine keeps, so that as many results share a commit on each. */
const ANSWERS_PER_SECOND = 1000;
const MOST = 5000;
/** Deliveries before those that are counted: code is compiled then, and connections are open. */
const WARM_UP = 1000;

type Shape = keyof typeof SHAPES;

/**
 * What a thousand deliveries ask of the database and of the main thread's heap, and what processor time they take of the
 * service: of a backlog, whose receiver answers nothing at first and then at a pace, and of notifications that are being posted.
 */
export const costCounts: Scenario = {
  name: 'cost-counts',
  group: 'cost-counts',
  perDatabase: true,
  async open({ deliveries }, kind) {
    return {
      async run() {
        const figures: Figures = {};
        for (const shape of Object.keys(SHAPES) as Shape[])
          for (const work of [drained, posted])
            Object.assign(figures, await measure(kind, shape, Math.min(deliveries, MOST), work));
        return figures;
      },
    };
  },
};

interface Measured {
  scene: Scene;
  users: string[];
  deliveries: number;
  counter: Counter;
}

/** Begins with the counts before the work, and resolves when all has been delivered. */
type Work = (measured: Measured, begin: (service: Running) => Promise<void>) => Promise<'drain' | 'rest'>;

async function measure(kind: DatabaseKind, shape: Shape, deliveries: number, work: Work): Promise<Figures> {
  const webhooks = SHAPES[shape];
  const scene = await Scene.open(kind, webhooks);
  const users = usersOf(webhooks);
  const counter = new Counter();
  let service: Running | undefined;
  let before: Counts | undefined;
  let busyBefore = 0;
  const name = await work({ scene, users, deliveries, counter }, async (running) => {
    service = running;
    before = await counter.read();
    busyBefore = cpuUs(running.pid);
  });
  if (!service || !before) throw new Error('Nothing was measured.');
  const after = await counter.read();
  const busyUs = cpuUs(service.pid) - busyBefore;
  await service.stop();
  await scene.close();
  const of = (count: keyof Counts) => after[count] - (before as Counts)[count];
  const perThousand = (count: keyof Counts) => (of(count) / deliveries) * 1000;
  const figures: Figures = {
    ...(name === 'drain' && { claims: of('claims'), rows: of('claimed') / of('claims') }),
    statements: perThousand('statements'),
    commits: perThousand('commits'),
    ...(kind === 'sqlite' && { messages: perThousand('messages') }),
    collections: perThousand('collections'),
    allocated: of('allocated') / deliveries / 1024,
    cpu: busyUs / deliveries,
  };
  return Object.fromEntries(
    Object.entries(figures).map(([figure, value]) => [`counts-${name}-${shape}-${figure}`, value]),
  );
}

const drained: Work = async ({ scene, users, deliveries, counter }, begin) => {
  await scene.storeBacklog(deliveries, users);
  await scene.receiver.call('reset', { close: true });
  const service = await startService(scene.database.url, 'worker', counter.nodeOptions, counter.env);
  await pause(CLOSED_MS);
  await begin(service);
  await scene.receiver.call('open', { perSecond: ANSWERS_PER_SECOND });
  await scene.arrive(deliveries);
  await scene.check(deliveries);
  return 'drain';
};

const posted: Work = async ({ scene, users, deliveries, counter }, begin) => {
  const service = await startService(scene.database.url, 'both', counter.nodeOptions, counter.env);
  const post = (sent: number) => {
    const count = (sent * users.length) / WEBHOOKS;
    return generateLoad(service.origin, count, '/v1/notification', count, users);
  };
  await post(WARM_UP);
  await scene.arrive(WARM_UP);
  await scene.check(WARM_UP);
  await begin(service);
  await post(deliveries);
  await scene.arrive(WARM_UP + deliveries);
  await scene.check(WARM_UP + deliveries);
  return 'rest';
};
