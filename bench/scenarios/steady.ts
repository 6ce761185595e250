import { readFileSync } from 'node:fs';
import type { Load, Loaded } from '../processes/load.js';
import { Child } from '../support/child.js';
import type { BenchDatabase } from '../support/database.js';
import type { Scenario } from '../support/scenario.js';
import { CONNECTIONS, Scene, USER, WEBHOOKS } from '../support/scene.js';
import { API_KEY, type Running, startService } from '../support/service.js';
import { now, pause } from '../support/stats.js';
import { drainBacklog } from './drain.js';

const SAMPLE_MS = 5000;

/** What must stop growing. */
interface Sizes {
  triggers: number;
  megabytes: number;
  resident: number;
}

/** Notifications at half of the rate of a drain, for minutes, with a short retention: nothing may keep growing. */
export const steady: Scenario = {
  name: 'steady',
  group: 'steady',
  perDatabase: true,
  async open({ deliveries, minutes, retentionSeconds }, kind) {
    return {
      async run() {
        const drain = await Scene.open(kind);
        await drain.storeBacklog(deliveries);
        const perSecond = Math.floor((await drainBacklog(drain, deliveries)).perSecond / 2 / WEBHOOKS);
        await drain.close();
        const scene = await Scene.open(kind);
        const days = (retentionSeconds / 86_400).toFixed(9);
        const service = await startService(scene.database.url, 'both', [], {
          RETENTION_DAYS: days,
          RETENTION_PAYLOAD_DAYS: days,
          RETRY_SCHEDULE_SECONDS: '1',
        });
        const end = now() + minutes * 60_000;
        const [accepted, samples] = await Promise.all([
          load(service, perSecond, end),
          measured(scene.database, service, end),
        ]);
        await service.stop();
        await scene.close();
        const last = (key: keyof Sizes) => peak(samples.slice(-samples.length / 3), key);
        const middle = (key: keyof Sizes) =>
          peak(samples.slice(-2 * (samples.length / 3), -samples.length / 3), key);
        return {
          'steady-accepted': accepted,
          'steady-triggers': last('triggers'),
          'steady-triggers-growth': last('triggers') / middle('triggers'),
          'steady-database-megabytes': last('megabytes'),
          'steady-database-growth': last('megabytes') / middle('megabytes'),
          'steady-memory': last('resident'),
          'steady-memory-growth': last('resident') / middle('resident'),
        };
      },
    };
  },
};

const peak = (samples: Sizes[], key: keyof Sizes) => Math.max(...samples.map((sizes) => sizes[key]));

/** Posts so many notifications every second. @returns how many deliveries that was, a second. */
async function load(service: Running, perSecond: number, end: number): Promise<number> {
  const child = await Child.start('load');
  const begin = now();
  let count = 0;
  for (let second = 1; now() < end; second++) {
    await child.call<Loaded>('run', {
      ...{ origin: service.origin, path: '/v1/notification', userIds: [USER], count: perSecond },
      ...{ headers: { authorization: `Bearer ${API_KEY}` }, connections: CONNECTIONS },
    } satisfies Load);
    count += perSecond;
    await pause(Math.max(0, begin + second * 1000 - now()));
  }
  await child.kill();
  return (count * WEBHOOKS * 1000) / (now() - begin);
}

async function measured(database: BenchDatabase, service: Running, end: number): Promise<Sizes[]> {
  const samples: Sizes[] = [];
  while (now() < end) {
    await pause(SAMPLE_MS);
    const [row] = await database.query<{ n: number }>('SELECT COUNT(*) AS n FROM webhook_trigger');
    samples.push({
      triggers: Number(row?.n),
      megabytes: await megabytesOf(database),
      resident: residentMegabytes(service.pid),
    });
    console.log(`  ${JSON.stringify(samples.at(-1))}`);
  }
  return samples;
}

async function megabytesOf(database: BenchDatabase): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    database.kind === 'sqlite'
      ? 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
      : `SELECT SUM(file_size) AS bytes FROM information_schema.innodb_sys_tablespaces
         WHERE name LIKE CONCAT(DATABASE(), '/%')`,
  );
  return Number(row?.bytes) / 1024 / 1024;
}

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
