import type { Child } from '../support/child.js';
import { Recovered } from '../support/recovered.js';
import type { Scenario } from '../support/scenario.js';
import { now, pause } from '../support/stats.js';

/** Twenty times the default. */
const PER_SECOND = 200;
const IDLE_MS = 3000;
/** How often garbage is collected to see what is left. */
const COLLECTIONS = 5;

/** Recovering a webhook that missed very much. */
export const recover: Scenario = {
  name: 'recover',
  group: 'recover',
  perDatabase: true,
  async open({ rows, quick }, kind) {
    const seconds = quick ? 5 : 20;
    const recovered = await Recovered.open(kind, rows);
    return {
      async run() {
        const beside = await besideOthers(recovered, seconds);
        const alone = await recoveryAlone(recovered, seconds);
        console.log(`  ${beside.counted} counted of ${rows}`);
        return {
          'recover-call': beside.call,
          'recover-first': beside.first,
          'recover-stop': beside.stop,
          'recover-pace': beside.pace,
          'recover-memory': alone.resident,
          'recover-memory-none': beside.residentBefore,
          'recover-live': alone.live,
        };
      },
      end: () => recovered.scene.close(),
    };
  },
};

/** How fast a recovery begins, goes and ends while others are served, and what memory they take before it. */
async function besideOthers(recovered: Recovered, seconds: number) {
  const emitter = await recovered.start();
  await pause(IDLE_MS);
  const idle = await emitter.call<number>('resident');
  const most = watch(emitter);
  await recovered.deliverOthers(emitter, seconds);
  const residentBefore = (await most()) - idle;

  const { id, total: counted, call, first } = await recovered.recover(emitter, PER_SECOND);
  await recovered.deliverOthers(emitter, seconds);
  // Counted since the others' run began.
  const { total, first: from, last: to } = await recovered.arrived();
  const stopping = now();
  await emitter.call('stopRecovery', { id });
  await pause(3000);
  const { last } = await recovered.arrived();
  await emitter.stop();
  const pace = ((total - 1) / (to - from)) * 1000;
  return { residentBefore, counted, call, first, stop: Math.max(0, last - stopping), pace };
}

/**
 * Megabytes over an idle process. Each figure has a process of its own, as a collection that is forced keeps the heap
 * smaller afterwards.
 */
async function recoveryAlone(recovered: Recovered, seconds: number) {
  const unused = await recovered.start();
  await pause(IDLE_MS);
  const idleLive = await unused.call<number>('live');
  await unused.stop();

  const emitter = await recovered.start();
  await pause(IDLE_MS);
  const idle = await emitter.call<number>('resident');
  const most = watch(emitter);
  const { id } = await recovered.recover(emitter, PER_SECOND);
  await pause(seconds * 1000);
  const resident = (await most()) - idle;
  let live = 0;
  for (let i = 0; i < COLLECTIONS; i++) {
    await pause(500);
    live = Math.max(live, await emitter.call<number>('live'));
  }
  await emitter.call('stopRecovery', { id });
  await emitter.stop();
  return { resident, live: live - idleLive };
}

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
