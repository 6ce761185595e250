import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Arrivals } from '../processes/receiver.js';
import { Child } from '../support/child.js';
import { type BenchDatabase, createDatabase, mariadbVersion } from '../support/database.js';
import type { Scenario } from '../support/scenario.js';
import { checkCounts, generateLoad, rate, USER, WEBHOOKS } from '../support/scene.js';
import { startServer } from '../support/service.js';
import { pause } from '../support/stats.js';
import { WARM_UP } from './rest.js';

const MAIN = fileURLToPath(new URL('../usual/main.js', import.meta.url));
const REDIS_URL = process.env.BENCH_REDIS_URL ?? 'redis://127.0.0.1:6379';
const STALL_MS = 30_000;

/** The usual way in Nest: a BullMQ job per webhook on Redis, HttpService, and a row for each attempt. */
export const usual: Scenario = {
  name: 'usual',
  group: 'throughput',
  perDatabase: false,
  async missing() {
    if (!(await mariadbVersion())) return 'it needs MariaDB';
    return (await redisAnswers()) ? null : 'it needs Redis';
  },
  async open({ deliveries }) {
    return {
      async run() {
        return { ...(await endToEnd(deliveries)), 'usual-drain': await drained(deliveries) };
      },
    };
  },
};

async function endToEnd(deliveries: number) {
  const scene = await UsualScene.open();
  const service = await scene.start('both');
  await generateLoad(service.origin, WARM_UP, '/notify');
  const warmUp = WARM_UP * WEBHOOKS;
  await scene.arrive(warmUp);
  const loaded = await generateLoad(service.origin, deliveries / WEBHOOKS, '/notify');
  const { last } = await scene.arrive(warmUp + deliveries);
  await service.stop();
  await scene.close();
  return {
    usual: rate(deliveries, loaded.first, last),
    'usual-accepted': rate(deliveries / WEBHOOKS, loaded.first, loaded.last),
  };
}

async function drained(deliveries: number): Promise<number> {
  const scene = await UsualScene.open();
  const api = await scene.start('api');
  await generateLoad(api.origin, deliveries / WEBHOOKS, '/notify');
  await api.stop();
  const worker = await scene.start('worker');
  const { first, last } = await scene.arrive(deliveries);
  await worker.stop();
  await scene.close();
  return rate(deliveries, first, last);
}

class UsualScene {
  private readonly prefix = `webhook-bench-${randomUUID()}`;

  private constructor(
    private readonly database: BenchDatabase,
    private readonly receiver: Child,
    private readonly receiverOrigin: string,
  ) {}

  static async open(): Promise<UsualScene> {
    const receiver = await Child.start('receiver');
    const port = await receiver.call<number>('listen');
    const scene = new UsualScene(await createDatabase('mariadb'), receiver, `http://127.0.0.1:${port}`);
    // The app creates its tables at startup.
    await (await scene.start('api')).stop();
    for (let index = 0; index < WEBHOOKS; index++) {
      await scene.database.query(
        `INSERT INTO webhook (id, userId, eventKind, url, secret, enabled)
         VALUES (?, '${USER}', 'ANALYSIS_FINISHED', ?, ?, 1)`,
        [randomUUID(), `${scene.receiverOrigin}/hook/${index}`, randomUUID()],
      );
    }
    return scene;
  }

  start(role: 'both' | 'api' | 'worker') {
    const env = { NODE_ENV: 'production', ROLE: role, QUEUE_PREFIX: this.prefix, REDIS_URL };
    return startServer(MAIN, { ...env, DATABASE_URL: this.database.url }, '/health');
  }

  async arrive(count: number): Promise<Arrivals> {
    const arrivals = await this.receiver.call<Arrivals>('wait', { count, stallMs: STALL_MS });
    let stored = 0;
    for (let tries = 0; stored < count && tries < 100; tries++) {
      const [row] = await this.database.query<{ n: number }>('SELECT COUNT(*) AS n FROM attempt');
      stored = Number(row?.n);
      if (stored < count) await pause(100);
    }
    checkCounts(arrivals, stored, count);
    return arrivals;
  }

  async close(): Promise<void> {
    await this.receiver.kill();
    await this.database.drop();
    await removeKeys(this.prefix);
  }
}

async function redisAnswers(): Promise<boolean> {
  return (await redisCommand('PING').catch(() => '')).startsWith('+PONG');
}

/** Deletes the few keys that remain of a queue. */
async function removeKeys(prefix: string): Promise<void> {
  const script = `for _, key in ipairs(redis.call('keys', ARGV[1])) do redis.call('del', key) end`;
  await redisCommand(`EVAL "${script}" 0 ${prefix}:*`);
}

/** One inline command of the Redis protocol. */
function redisCommand(command: string): Promise<string> {
  const { hostname, port } = new URL(REDIS_URL);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port || 6379), hostname);
    socket.setTimeout(2000, () => socket.destroy(new Error('Redis does not answer')));
    socket.once('error', reject);
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.write(`${command}\r\n`);
  });
}
