import type { Latency } from '../processes/receiver.js';
import type { Child } from '../support/child.js';
import type { Scenario } from '../support/scenario.js';
import { Scene, type Subscriber } from '../support/scene.js';
import { now, pause } from '../support/stats.js';
import { storeTriggers } from '../support/store-triggers.js';
import { startEmitter } from './emit.js';

/** The webhook's own user gets no other notifications. Its path is counted apart from the others. */
const RECOVERED: Subscriber = { userId: 'recovered', path: '/hang' };
const OTHERS: Subscriber[] = Array.from({ length: 50 }, (_, index) => ({
  userId: `user_${index}`,
  path: `/hook/${index}`,
}));
const USERS = OTHERS.map(({ userId }) => userId);
/** The pace of a recovery that says nothing about it, and a fast one, of which the other figures are. */
const USUAL_PER_SECOND = 10;
const FAST_PER_SECOND = 200;
const OTHERS_PER_SECOND = 200;
/** Retention would delete what is recovered. */
const FOR_EVER = { RETENTION_DAYS: '0', RETENTION_PAYLOAD_DAYS: '0' };

interface Apart {
  total: number;
  first: number;
  last: number;
}

/** Recovering a webhook that missed very much. */
export const recover: Scenario = {
  name: 'recover',
  group: 'recover',
  perDatabase: true,
  async open({ rows, quick }, kind) {
    const seconds = quick ? 5 : 20;
    const scene = await Scene.open(kind, [RECOVERED, ...OTHERS]);
    const id = await storeTriggers(scene, { userId: RECOVERED.userId, status: 'FAILED', rows });
    const emitter = await startEmitter(scene, [], FOR_EVER);
    const p99 = async () => {
      await scene.receiver.call('reset', { latency: true });
      const count = await emitter.call<number>('pace', {
        perSecond: OTHERS_PER_SECOND,
        seconds,
        users: USERS,
      });
      await scene.arrive(count);
      return (await scene.receiver.call<Latency>('latency')).p99;
    };
    const apart = () => scene.receiver.call<Apart>('apart');
    const recovery = async (perSecond: number) => {
      const memory = watch(emitter);
      await scene.receiver.call('reset', {});
      const called = now();
      const begun = await emitter.call<{ id: string; total: number }>('recover', { id, perSecond });
      const answered = now();
      while ((await apart()).total === 0) await pause(10);
      const { first } = await apart();
      const beside = await p99();
      // Counted since the others' last run began.
      const { total, first: from, last: to } = await apart();
      const stopping = now();
      await emitter.call('stopRecovery', { id: begun.id });
      await pause(3000);
      const { last } = await apart();
      return {
        call: answered - called,
        first: first - answered,
        stop: Math.max(0, last - stopping),
        pace: ((total - 1) / (to - from)) * 1000,
        memory: await memory(),
        counted: begun.total,
        beside,
      };
    };
    await p99();
    return {
      async run() {
        const idle = watch(emitter);
        const without = await p99();
        const plain = await idle();
        const usual = await recovery(USUAL_PER_SECOND);
        const fast = await recovery(FAST_PER_SECOND);
        console.log(`  ${fast.counted} counted of ${rows}`);
        return {
          'recover-call': fast.call,
          'recover-first': fast.first,
          'recover-stop': fast.stop,
          'recover-pace': fast.pace,
          'recover-memory': fast.memory - plain,
          // Before and after: the first figure is often the best one, as a database that has stored little writes little.
          'recover-none': (without + (await p99())) / 2,
          'recover-beside': usual.beside,
          'recover-beside-fast': fast.beside,
        };
      },
      async end() {
        await emitter.stop();
        await scene.close();
      },
    };
  },
};

/** @returns a function that ends the watch and resolves with the most megabytes. */
function watch(emitter: Child): () => Promise<number> {
  let most = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await emitter.call<number>('resident'));
      await pause(100);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return most;
  };
}
