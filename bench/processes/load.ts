import { Pool } from 'undici';
import { serveCommands } from '../support/commands.js';
import { recordOf } from '../support/record.js';
import { now } from '../support/stats.js';

export interface Load {
  origin: string;
  path: string;
  headers: Record<string, string>;
  userId: string;
  /** Notifications. */
  count: number;
  connections: number;
}

/** Times of the first request and of the last answer. */
export interface Loaded {
  first: number;
  last: number;
}

serveCommands({
  async run({ origin, path, headers, userId, count, connections }: Load): Promise<Loaded> {
    const pool = new Pool(origin, { connections, pipelining: 1 });
    const send = senderOf(pool, path, { ...headers, 'content-type': 'application/json' }, userId);
    let next = 0;
    const first = now();
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < count) await send(next++);
      }),
    );
    const last = now();
    await pool.close();
    return { first, last };
  },
});

function senderOf(pool: Pool, path: string, headers: Record<string, string>, userId: string) {
  const body = JSON.stringify({
    event_kind: 'ANALYSIS_FINISHED',
    user_id: userId,
    analysis_id: 'ana_1',
    record: recordOf(0),
  });
  const { id } = recordOf(0);
  return async (number: number) => {
    const answer = await pool.request({
      method: 'POST',
      path,
      headers,
      body: body.replace(id, recordOf(number).id),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 202) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  };
}
