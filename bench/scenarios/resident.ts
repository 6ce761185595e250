import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Load, Loaded } from '../processes/load.js';
import { Child } from '../support/child.js';
import type { HeapSample } from '../support/memory-probe.js';
import type { Scenario } from '../support/scenario.js';
import { CONNECTIONS, Scene, USER } from '../support/scene.js';
import { API_KEY, type Running, startService } from '../support/service.js';
import { now, pause } from '../support/stats.js';

const PROBE = fileURLToPath(new URL('../support/memory-probe.js', import.meta.url));
const IDLE_MS = 60_000;
const SAMPLE_MS = 30_000;
/** Until then caches and heaps fill. */
const WARM_MS = 10 * 60_000;
const ONE = [{ userId: USER, path: '/hook/0' }];

/** Memory of the service while idle, and under an even load for minutes: where it grows, and whether it stays level. */
export const resident: Scenario = {
  name: 'resident',
  group: 'steady',
  perDatabase: true,
  async open({ minutes, perSecond, retentionSeconds }, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind, ONE);
        const samples = join(tmpdir(), `heap-samples-${process.pid}.jsonl`);
        const service = await startService(scene.database.url, 'both', ['--import', PROBE], {
          HEAP_SAMPLES: samples,
          RETRY_SCHEDULE_SECONDS: '1',
          RETENTION_DAYS: (retentionSeconds / 86_400).toFixed(9),
          RETENTION_PAYLOAD_DAYS: (retentionSeconds / 2 / 86_400).toFixed(9),
        });
        const state = () => ({ ...residentOf(service), ...lastOf(samples) });
        await pause(IDLE_MS);
        const idle = state();
        console.log(`  idle ${JSON.stringify(idle)}`);
        const count = minutes * 60 * perSecond;
        const began = now();
        const line: { at: number; anonymous: number }[] = [];
        const loaded = load(service, count, perSecond);
        for (let isOver = false; !isOver; ) {
          isOver = await Promise.race([loaded.then(() => true), pause(SAMPLE_MS).then(() => false)]);
          const at = now() - began;
          const sample = state();
          line.push({ at, anonymous: sample.anonymous });
          console.log(`  ${(at / 60_000).toFixed(1)} min ${JSON.stringify(sample)}`);
        }
        await scene.arrive(count);
        await pause(IDLE_MS);
        const after = state();
        console.log(`  idle again ${JSON.stringify(after)}`);
        await service.stop();
        await scene.close();
        rmSync(samples, { force: true });
        const warm = line.filter(({ at }) => at >= WARM_MS).map(({ anonymous }) => anonymous);
        return {
          'resident-idle-memory': idle.pss,
          'resident-most-memory': Math.max(...line.map(({ anonymous }) => anonymous)),
          'resident-spread-memory': Math.max(...warm) - Math.min(...warm),
          'resident-idle-again-memory': after.pss,
        };
      },
    };
  },
};

/** Posts so many notifications at an even pace. */
async function load({ origin }: Running, count: number, perSecond: number): Promise<void> {
  const child = await Child.start('load');
  await child.call<Loaded>('run', {
    ...{ origin, path: '/v1/notification', userIds: [USER], count, perSecond },
    ...{ headers: { authorization: `Bearer ${API_KEY}` }, connections: CONNECTIONS },
  } satisfies Load);
  await child.kill();
}

/** Megabytes. `pss` counts a page that several processes share in parts, `anonymous` none that is a file's. */
function residentOf({ pid }: Running) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1]) / 102.4) / 10;
  return { resident: of('Rss'), pss: of('Pss'), anonymous: of('Anonymous') };
}

function lastOf(samples: string): HeapSample {
  return JSON.parse(readFileSync(samples, 'utf8').trimEnd().split('\n').at(-1) as string) as HeapSample;
}
