import type { Loaded } from '../processes/load.js';
import type { Arrivals } from '../processes/receiver.js';
import { Child } from './child.js';
import { type BenchDatabase, createDatabase, type DatabaseKind, migrate } from './database.js';
import { API_KEY, SERVICE_ENV, startService } from './service.js';
import { pause } from './stats.js';

export const USER = 'bench';
export const WEBHOOKS = 10;
export const CONNECTIONS = 64;
const STALL_MS = 30_000;

/** The owner of a webhook, and its path at the receiver. */
export interface Subscriber {
  userId: string;
  path: string;
  /** Of its event. */
  filter?: object;
  settings?: object;
}

const subscribers = (userOf: (index: number) => string): Subscriber[] =>
  Array.from({ length: WEBHOOKS }, (_, index) => ({ userId: userOf(index), path: `/hook/${index}` }));

/** Ten webhooks: of as many users, so that a notification has one trigger, or of one, so that it has ten. */
export const SHAPES = { one: subscribers((index) => `user_${index}`), ten: subscribers(() => USER) };

export const usersOf = (webhooks: Subscriber[]) => [...new Set(webhooks.map(({ userId }) => userId))];

/** A database with webhooks, and their receiver. */
export class Scene {
  private constructor(
    readonly database: BenchDatabase,
    readonly receiver: Child,
    readonly receiverOrigin: string,
  ) {}

  /** @param server of MariaDB, if it is not the usual one. */
  static async open(kind: DatabaseKind, webhooks = SHAPES.ten, server?: string): Promise<Scene> {
    const database = await createDatabase(kind, server);
    const receiver = await Child.start('receiver');
    const origin = `http://127.0.0.1:${await receiver.call<number>('listen')}`;
    const scene = new Scene(database, receiver, origin);
    migrate(database.url, SERVICE_ENV);
    await scene.subscribe(webhooks);
    return scene;
  }

  async close(): Promise<void> {
    await this.receiver.kill();
    await this.database.drop();
  }

  /**
   * Stores a backlog of `triggers` through a service that accepts and does not send.
   *
   * @param userIds whose it is, in turn. All together they have ten webhooks.
   */
  async storeBacklog(triggers: number, userIds = [USER]): Promise<void> {
    const service = await startService(this.database.url, 'api');
    const count = (triggers * userIds.length) / WEBHOOKS;
    await generateLoad(service.origin, count, '/v1/notification', count, userIds);
    await service.stop();
  }

  /** Triggers by status. */
  async statuses(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ status: string; n: number }>(
      'SELECT status, COUNT(*) AS n FROM webhook_trigger GROUP BY status',
    );
    return Object.fromEntries(rows.map(({ status, n }) => [status, Number(n)]));
  }

  async succeeded(): Promise<number> {
    return (await this.statuses()).SUCCEEDED ?? 0;
  }

  /** Resolves with the arrivals once enough distinct ones have come. @throws when they do not come */
  async arrive(count: number): Promise<Arrivals> {
    const arrivals = await this.receiver.call<Arrivals>('wait', { count, stallMs: STALL_MS });
    if (arrivals.unique !== count) {
      throw new Error(`DOES NOT CHECK OUT: ${arrivals.unique} deliveries arrived, not ${count}`);
    }
    return arrivals;
  }

  /**
   * @param before triggers that had succeeded before the receiver started to count.
   * @throws when the deliveries at the receiver do not match the triggers that succeeded since
   */
  async check(expected: number, before = 0): Promise<void> {
    const statuses = await this.settled();
    const arrivals = await this.receiver.call<Arrivals>('arrivals');
    checkCounts(arrivals, (statuses.SUCCEEDED ?? 0) - before, expected);
  }

  /** @throws when fewer triggers succeed than expected */
  async checkSucceeded(which: string, expected: number): Promise<void> {
    for (let tries = 0; ; tries++) {
      const [row] = await this.database.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM webhook_trigger WHERE status = 'SUCCEEDED' AND ${which}`,
      );
      if (Number(row?.n) === expected) return;
      if (tries === 100) throw new Error(`DOES NOT CHECK OUT: ${row?.n} succeeded, not ${expected}`);
      await pause(100);
    }
  }

  /** The statuses once the results of the last deliveries are stored. */
  private async settled(): Promise<Record<string, number>> {
    for (let tries = 0; ; tries++) {
      const statuses = await this.statuses();
      const open = (statuses.PENDING ?? 0) + (statuses.DELIVERING ?? 0);
      if (open === 0) return statuses;
      if (tries === 100) throw new Error(`DOES NOT CHECK OUT: ${open} triggers are not settled`);
      await pause(100);
    }
  }

  private async subscribe(webhooks: Subscriber[]): Promise<void> {
    const service = await startService(this.database.url, 'api');
    for (const { userId, path, filter, settings } of webhooks) {
      const body = { user_id: userId, name: path, url: this.receiverOrigin + path, settings };
      const answer = await fetch(`${service.origin}/v1/webhook`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...body,
          events: [filter ? { kind: 'ANALYSIS_FINISHED', filter } : 'ANALYSIS_FINISHED'],
        }),
      });
      if (!answer.ok) throw new Error(`No webhook: ${answer.status} ${await answer.text()}`);
    }
    await service.stop();
  }
}

export function checkCounts({ total, unique }: Arrivals, succeeded: number, expected: number): void {
  if (total > unique) console.log(`  ${total - unique} duplicates`);
  if (unique === expected && succeeded === expected) return;
  throw new Error(
    `DOES NOT CHECK OUT: ${expected} deliveries due, ${unique} arrived, ${succeeded} stored as succeeded`,
  );
}

/** Posts notifications over REST from a separate process. */
export async function generateLoad(
  origin: string,
  count: number,
  path = '/v1/notification',
  records?: number,
  userIds = [USER],
  perSecond?: number,
): Promise<Loaded> {
  const load = await Child.start('load');
  const headers = { authorization: `Bearer ${API_KEY}` };
  const loaded = await load.call<Loaded>('run', {
    origin,
    path,
    headers,
    userIds,
    count,
    connections: CONNECTIONS,
    ...(records ? { records } : {}),
    ...(perSecond ? { perSecond } : {}),
  });
  await load.kill();
  return loaded;
}

/** Deliveries or notifications per second. */
export const rate = (count: number, first: number, last: number) => (count / (last - first)) * 1000;
