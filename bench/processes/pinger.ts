import { Pool } from 'undici';
import { serveCommands } from '../support/commands.js';
import { now, pause, percentile } from '../support/stats.js';

const PER_SECOND = 500;

let running = false;
let finished: Promise<number[]> = Promise.resolve([]);

/** Calls at an even pace, however long the answers take. @returns the duration of each call, in milliseconds. */
async function ping(url: string): Promise<number[]> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: 20 });
  const calls: Promise<number>[] = [];
  const begin = now();
  while (running) {
    for (; calls.length < ((now() - begin) / 1000) * PER_SECOND; ) calls.push(timed(pool, pathname));
    await pause(1);
  }
  const took = await Promise.all(calls);
  await pool.close();
  return took;
}

async function timed(pool: Pool, path: string): Promise<number> {
  const begin = now();
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  await body.dump();
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  return now() - begin;
}

serveCommands({
  async start({ url }: { url: string }) {
    running = true;
    finished = ping(url);
  },

  /** @returns the 99th percentile of the calls since the start, in milliseconds. */
  async stop() {
    running = false;
    const took = (await finished).sort((a, b) => a - b);
    return percentile(took, 0.99);
  },
});
