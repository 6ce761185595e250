import type { Latency } from '../processes/receiver.js';
import type { DatabaseKind } from '../support/database.js';
import type { Scenario } from '../support/scenario.js';
import { Scene, type Subscriber } from '../support/scene.js';
import { startEmitter } from './emit.js';

const WEBHOOKS = 100;
/** One notification in ten goes to the first webhook. */
const SHARE = 10;
const PER_SECOND = 1000;
const HANGING_USER = 'user_0';

/** Each has its own user, and so its own traffic. The first is the one that may hang. */
const SUBSCRIBERS: Subscriber[] = Array.from({ length: WEBHOOKS }, (_, index) => ({
  userId: `user_${index}`,
  path: index === 0 ? '/hang' : `/hook/${index}`,
}));

const USERS = Array.from({ length: (WEBHOOKS - 1) * SHARE }, (_, turn) => {
  const other = turn - Math.floor(turn / SHARE) - 1;
  return turn % SHARE === 0 ? HANGING_USER : `user_${1 + (other % (WEBHOOKS - 1))}`;
});

/** How one receiver that never answers affects the others, at an even pace that all can sustain. */
export const isolation: Scenario = {
  name: 'isolation',
  group: 'isolation',
  perDatabase: true,
  async open({ quick }, kind) {
    const seconds = quick ? 6 : 20;
    return {
      async run() {
        const without = await othersP99(kind, seconds, false);
        return { 'isolation-none': without, 'isolation-hang': await othersP99(kind, seconds, true) };
      },
    };
  },
};

async function othersP99(kind: DatabaseKind, seconds: number, hang: boolean): Promise<number> {
  const scene = await Scene.open(kind, SUBSCRIBERS);
  const emitter = await startEmitter(scene);
  const others = (count: number) => count - Math.ceil(count / SHARE);
  const warmUp = await emitter.call<number>('pace', { perSecond: PER_SECOND, seconds: 2, users: USERS });
  await scene.arrive(others(warmUp));
  await scene.receiver.call('reset', { latency: true, hang });
  const count = await emitter.call<number>('pace', { perSecond: PER_SECOND, seconds, users: USERS });
  await scene.arrive(others(count));
  await scene.checkSucceeded(`user_id <> '${HANGING_USER}'`, others(warmUp) + others(count));
  const { p99 } = await scene.receiver.call<Latency>('latency');
  // SIGTERM would wait for the hanging attempts.
  await emitter.kill();
  await scene.close();
  return p99;
}
