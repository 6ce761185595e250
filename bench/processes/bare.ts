import { Pool } from 'undici';
import { serveCommands } from '../support/commands.js';
import { recordOf } from '../support/record.js';

const PATHS = 10;

serveCommands({
  /** Posts 1 KB as fast as undici can, and does nothing else. */
  async run({ origin, count, connections }: { origin: string; count: number; connections: number }) {
    const pool = new Pool(origin, { connections, pipelining: 1 });
    const body = Buffer.from(JSON.stringify(recordOf(0)));
    let next = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < count) {
          const number = next++;
          const answer = await pool.request({
            method: 'POST',
            path: `/hook/${number % PATHS}`,
            headers: { 'content-type': 'application/json', 'webhook-id': `msg_${number}` },
            body,
          });
          await answer.body.dump();
        }
      }),
    );
    await pool.close();
  },
});
