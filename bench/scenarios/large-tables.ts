import { readFileSync } from 'node:fs';
import type { Arrivals } from '../processes/receiver.js';
import { fill } from '../support/fill.js';
import type { Scenario } from '../support/scenario.js';
import { checkCounts, generateLoad, rate, Scene, WEBHOOKS } from '../support/scene.js';
import { startService } from '../support/service.js';
import { pause } from '../support/stats.js';
import { drainBacklog } from './drain.js';
import { WARM_UP } from './rest.js';

/** Drains the same backlog with many finished triggers in the tables, and with none. */
export const drainHistory: Scenario = {
  name: 'drain-history',
  group: 'history',
  perDatabase: true,
  async open({ deliveries, rows }, kind) {
    const large = await Scene.open(kind);
    await fill(large, 'finished', rows);
    const drained = async (scene: Scene) => {
      await scene.storeBacklog(deliveries);
      return (await drainBacklog(scene, deliveries)).perSecond;
    };
    return {
      async run() {
        const empty = await Scene.open(kind);
        const without = await drained(empty);
        await empty.close();
        return { 'history-none': without, 'history-large': await drained(large) };
      },
      end: () => large.close(),
    };
  },
};

/** Accepts without sending, with many pending triggers in the tables, and with none. */
export const acceptBacklog: Scenario = {
  name: 'accept-backlog',
  group: 'backlog',
  perDatabase: true,
  async open({ deliveries, rows }, kind) {
    const large = await Scene.open(kind);
    await fill(large, 'pending', rows);
    // Storing alone is fast, so a long enough run needs many.
    const notifications = deliveries / 2;
    return {
      async run() {
        const empty = await Scene.open(kind);
        await large.database.flush();
        const without = await accepted(empty, notifications);
        await empty.close();
        await large.database.flush();
        return { 'backlog-none': without, 'backlog-large': await accepted(large, notifications) };
      },
      end: () => large.close(),
    };
  },
};

async function accepted(scene: Scene, notifications: number): Promise<number> {
  const before = (await scene.statuses()).PENDING ?? 0;
  const service = await startService(scene.database.url, 'api');
  await generateLoad(service.origin, WARM_UP);
  const { first, last } = await generateLoad(service.origin, notifications);
  await service.stop();
  const stored = ((await scene.statuses()).PENDING ?? 0) - before;
  const expected = (WARM_UP + notifications) * WEBHOOKS;
  if (stored !== expected) throw new Error(`DOES NOT CHECK OUT: ${stored} triggers stored, not ${expected}`);
  return rate(notifications, first, last);
}

/** The most triggers that one run drains from the large backlog. */
const DRAINED_BY_A_RUN = 300_000;

/** Megabytes above an idle service while it drains a large backlog. */
export const memory: Scenario = {
  name: 'memory',
  group: 'memory',
  perDatabase: true,
  async open({ runs, rows, quick }, kind) {
    const large = await Scene.open(kind);
    await fill(large, 'pending', rows + (runs - 1) * DRAINED_BY_A_RUN);
    return {
      async run() {
        const empty = await Scene.open(kind);
        const idle = await resident(empty, 3);
        await empty.close();
        const before = await large.succeeded();
        await large.receiver.call('reset', {});
        const draining = await resident(large, quick ? 5 : 20);
        const arrivals = await large.receiver.call<Arrivals>('arrivals');
        checkCounts(arrivals, (await large.succeeded()) - before, arrivals.unique);
        if (!(await large.statuses()).PENDING) throw new Error('The backlog was drained before its time');
        return {
          memory: draining.peak - idle.last,
          'memory-idle': idle.last,
          'drain-large': rate(arrivals.unique, arrivals.first, arrivals.last),
        };
      },
      end: () => large.close(),
    };
  },
};

/** Highest and last resident megabytes of a sending service over a number of seconds. */
async function resident(scene: Scene, seconds: number): Promise<{ peak: number; last: number }> {
  const service = await startService(scene.database.url, 'worker');
  let peak = 0;
  let last = 0;
  for (let sample = 0; sample < seconds * 10; sample++) {
    await pause(100);
    last = residentMegabytes(service.pid);
    peak = Math.max(peak, last);
  }
  await service.stop();
  return { peak, last };
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
