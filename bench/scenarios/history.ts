import type { Scenario } from '../support/scenario.js';
import { Scene } from '../support/scene.js';
import { API_KEY, type Running, startService } from '../support/service.js';
import { median, now } from '../support/stats.js';
import { storeTriggers } from '../support/store-triggers.js';

const OWNER = { userId: 'history', path: '/hook/0' };
const TIMES = 20;
const FOR_EVER = { RETENTION_DAYS: '0', RETENTION_PAYLOAD_DAYS: '0' };
/** Milliseconds of ids that are stored. */
const SINCE = '2024-05-17T00:00:00Z';
/** Each of the lists is asked for with these. */
const FILTERS = [
  '',
  '&event_kind=ANALYSIS_FINISHED',
  '&record_id=rec_7',
  '&record_id=rec_8&event_kind=ANALYSIS_FINISHED',
  `&since=${SINCE}&until=2026-01-01T00:00:00Z`,
  '&event_kind=RECORD_FINISHED',
  '&record_id=nobody',
];

/** Lists of notifications beside very many, and erasing what is stored of one record in a hundred. */
export const history: Scenario = {
  name: 'history',
  group: 'history',
  perDatabase: true,
  async open({ rows }, kind) {
    return {
      async run() {
        const scene = await Scene.open(kind, [OWNER]);
        await storeTriggers(scene, { userId: OWNER.userId, status: 'SUCCEEDED', rows });
        const service = await startService(scene.database.url, 'api', [], FOR_EVER);
        const taken: number[][] = [];
        for (const filter of FILTERS)
          taken.push(
            await times(service, `/v1/notification/list?user_id=${OWNER.userId}&limit=100${filter}`),
          );
        const begin = now();
        const erased = await erase(service, `/v1/notification?user_id=${OWNER.userId}&record_id=rec_7`);
        const erasing = now() - begin;
        await service.stop();
        await scene.close();
        if (erased > rows / 100 || erased === 0)
          throw new Error(`DOES NOT CHECK OUT: ${erased} erased, not ${rows / 100}`);
        return {
          'history-list': Math.max(...taken.map(median)),
          'history-list-most': Math.max(...taken.flat()),
          'history-erase': erasing,
        };
      },
    };
  },
};

/** The times of a call, without the first one. */
async function times(service: Running, path: string): Promise<number[]> {
  await call(service, path);
  const taken: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const begin = now();
    await call(service, path);
    taken.push(now() - begin);
  }
  return taken;
}

/** Repeats the call while it says that there is more. @returns how many notifications the last call erased. */
async function erase(service: Running, path: string): Promise<number> {
  for (;;) {
    const answer = await fetch(service.origin + path, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    if (answer.status === 503) continue;
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { notifications: number }).notifications;
  }
}

async function call<T>(service: Running, path: string): Promise<T> {
  const answer = await fetch(service.origin + path, {
    headers: { authorization: `Bearer ${API_KEY}` },
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
