import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseKind } from '../support/database.js';
import type { Figures, Scenario } from '../support/scenario.js';
import { Scene } from '../support/scene.js';
import { API_KEY, MAIN, nodeFlags, type Running, SERVICE_ENV, startServer } from '../support/service.js';
import { now, pause } from '../support/stats.js';

/** The main file of another version that is built, to be measured in turn with this one. */
const AGAINST = process.env.BENCH_AGAINST;
/** Of the load under which a process is killed. */
const TRIGGERS = 5000;
/** Of a clock tick of Linux. */
const TICK_MS = 10;

/** From spawning a process to its first answers, and again after one was killed while it delivered. */
export const start: Scenario = {
  name: 'start',
  group: 'start',
  perDatabase: true,
  async open(_options, kind) {
    const builds = [['start', MAIN]] as [name: string, main: string][];
    if (AGAINST) builds.push(['start-against', resolve(AGAINST)]);
    return {
      async run() {
        const figures: Figures[] = [];
        for (const [name, main] of builds) figures.push(await measure(name, main, kind));
        // The other one is first in the next run.
        builds.reverse();
        return Object.assign({}, ...figures);
      },
    };
  },
};

async function measure(name: string, main: string, kind: DatabaseKind): Promise<Figures> {
  const scene = await Scene.open(kind);
  const launch = () =>
    startServer(main, { ...SERVICE_ENV, DATABASE_URL: scene.database.url }, '/health/live', nodeFlags());
  const from = now();
  const quiet = await launch();
  const live = now() - from;
  await fetch(`${quiet.origin}/v1/webhook/list`, { headers: { authorization: `Bearer ${API_KEY}` } });
  const called = now() - from;
  const cpu = cpuMs(quiet);
  await quiet.stop();

  await scene.storeBacklog(TRIGGERS);
  const killed = await launch();
  while ((await scene.succeeded()) < TRIGGERS / 50) await pause(20);
  process.kill(killed.pid, 'SIGKILL');
  const died = now();
  const next = await launch();
  const refused = now() - died;
  await next.stop();
  await scene.close();
  return {
    [`${name}-live`]: live,
    [`${name}-call`]: called,
    [`${name}-cpu`]: cpu,
    [`${name}-killed`]: refused,
  };
}

/** The processor time of a process so far. */
function cpuMs({ pid }: Running): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * TICK_MS;
}
