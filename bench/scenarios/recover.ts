import type { Latency } from '../processes/receiver.js';
import type { Child } from '../support/child.js';
import type { Scenario } from '../support/scenario.js';
import { Scene, type Subscriber } from '../support/scene.js';
import { now, pause } from '../support/stats.js';
import { startEmitter } from './emit.js';

/** The webhook's own user gets no other notifications. Its path is counted apart from the others. */
const RECOVERED: Subscriber = { userId: 'recovered', path: '/hang' };
const OTHERS: Subscriber[] = Array.from({ length: 50 }, (_, index) => ({
  userId: `user_${index}`,
  path: `/hook/${index}`,
}));
const USERS = OTHERS.map(({ userId }) => userId);
const PER_SECOND = 200;
const OTHERS_PER_SECOND = 200;
/** Rows per statement. */
const CHUNK = 20_000;
/** Retention would delete what is recovered. */
const FOR_EVER = { RETENTION_DAYS: '0', RETENTION_PAYLOAD_DAYS: '0' };
/** Older than any new id. */
const PREFIX = '01900000-0000-7000-8000-';

interface Apart {
  total: number;
  first: number;
  last: number;
}

/** Recovering a webhook that missed very much. */
export const recover: Scenario = {
  name: 'recover',
  group: 'recover',
  perDatabase: true,
  async open({ rows, quick }, kind) {
    const seconds = quick ? 5 : 20;
    const scene = await Scene.open(kind, [RECOVERED, ...OTHERS]);
    const id = await fill(scene, rows);
    const emitter = await startEmitter(scene, [], FOR_EVER);
    const p99 = async () => {
      await scene.receiver.call('reset', { latency: true });
      const count = await emitter.call<number>('pace', {
        perSecond: OTHERS_PER_SECOND,
        seconds,
        users: USERS,
      });
      await scene.arrive(count);
      return (await scene.receiver.call<Latency>('latency')).p99;
    };
    const apart = () => scene.receiver.call<Apart>('apart');
    await p99();
    return {
      async run() {
        const without = await p99();
        const idle = await emitter.call<number>('resident');
        const memory = watch(emitter);
        await scene.receiver.call('reset', {});
        const called = now();
        const begun = await emitter.call<{ id: string; total: number }>('recover', {
          id,
          perSecond: PER_SECOND,
        });
        const answered = now();
        while ((await apart()).total === 0) await pause(10);
        const { first } = await apart();
        const beside = await p99();
        // Counted since the others' last run began.
        const { total, first: from, last: to } = await apart();
        const stopping = now();
        await emitter.call('stopRecovery', { id: begun.id });
        await pause(3000);
        const { last } = await apart();
        console.log(`  ${begun.total} counted of ${rows}`);
        const most = await memory();
        return {
          'recover-call': answered - called,
          'recover-first': first - answered,
          'recover-stop': Math.max(0, last - stopping),
          'recover-pace': ((total - 1) / (to - from)) * 1000,
          'recover-memory': most - idle,
          // Before and after: the first figure is often the best one, as a database that has stored little writes little.
          'recover-none': (without + (await p99())) / 2,
          'recover-beside': beside,
        };
      },
      async end() {
        await emitter.stop();
        await scene.close();
      },
    };
  },
};

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

/** Stores failed triggers, each with its notification. @returns the webhook's id */
async function fill({ database }: Scene, rows: number): Promise<string> {
  const [event] = await database.query<{ id: string; webhook_id: string }>(
    'SELECT id, webhook_id FROM webhook_event WHERE user_id = ?',
    [RECOVERED.userId],
  );
  if (!event) throw new Error('There is no webhook to recover');
  const sqlite = database.kind === 'sqlite';
  const id = sqlite
    ? `'${PREFIX}' || printf('%012x', n.seq)`
    : `CONCAT('${PREFIX}', LPAD(LOWER(HEX(n.seq)), 12, '0'))`;
  const body = JSON.stringify({ data: { id: 'rec_1', filler: 'x'.repeat(1000), analysis: [] } });
  for (let from = 1; from <= rows; from += CHUNK) {
    const to = Math.min(rows, from + CHUNK - 1);
    const numbers = sqlite
      ? `(WITH RECURSIVE s(seq) AS (SELECT ${from} UNION ALL SELECT seq + 1 FROM s WHERE seq < ${to}) SELECT seq FROM s)`
      : `seq_${from}_to_${to}`;
    await database.query(
      `INSERT INTO webhook_notification (id, user_id, event_kind, triggered_at, body)
       SELECT ${id}, '${RECOVERED.userId}', 'ANALYSIS_FINISHED', 0, CAST(? AS ${sqlite ? 'BLOB' : 'BINARY'}) FROM ${numbers} n`,
      [body],
    );
    await database.query(
      `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_id, event_kind, user_id, status, attempt_count)
       SELECT ${id}, ${id}, ?, ?, 'ANALYSIS_FINISHED', '${RECOVERED.userId}', 'FAILED', 8 FROM ${numbers} n`,
      [event.webhook_id, event.id],
    );
  }
  await database.flush();
  return event.webhook_id;
}
