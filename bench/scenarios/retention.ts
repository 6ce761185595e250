import { fill } from '../support/fill.js';
import type { Scenario } from '../support/scenario.js';
import { rate, Scene, WEBHOOKS } from '../support/scene.js';
import { startService } from '../support/service.js';
import { now, pause } from '../support/stats.js';

const FOR_EVER = { RETENTION_DAYS: '0', RETENTION_PAYLOAD_DAYS: '0' };
/** The copies that fill the tables were made in the middle of 2024, by their ids and here by their times. */
const LONG_AGO = 1_717_986_918_400;
const OLD = `id < '0191'`;

/** Drains a backlog while old finished triggers are deleted, and while they are kept. */
export const retention: Scenario = {
  name: 'retention',
  group: 'retention',
  perDatabase: true,
  async open({ deliveries, rows }, kind) {
    return {
      async run() {
        const kept = await filled(kind, rows);
        await kept.storeBacklog(deliveries);
        const without = await drained(kept, deliveries, FOR_EVER);
        await kept.close();
        const scene = await filled(kind, rows);
        await scene.storeBacklog(deliveries);
        const old = await oldOnes(scene);
        const draining = await drained(scene, deliveries, {});
        const left = await oldOnes(scene);
        const removed = await idle(scene, left);
        await scene.close();
        return {
          'retention-none': without,
          'retention-drain': draining,
          'retention-deleted-draining': old - left,
          'retention-idle': removed,
        };
      },
    };
  },
};

async function filled(kind: Parameters<Scenario['open']>[1], rows: number): Promise<Scene> {
  const scene = await Scene.open(kind);
  await fill(scene, 'finished', rows);
  await scene.database.query(`UPDATE webhook_notification SET triggered_at = ${LONG_AGO} WHERE ${OLD}`);
  await scene.database.flush();
  return scene;
}

/** @returns deliveries a second. */
async function drained(scene: Scene, deliveries: number, env: Record<string, string>): Promise<number> {
  await scene.receiver.call('reset', {});
  const service = await startService(scene.database.url, 'worker', [], env);
  const { first, last } = await scene.arrive(deliveries);
  // With those of the sample.
  await scene.checkSucceeded(`NOT (${OLD})`, deliveries + WEBHOOKS);
  await service.stop();
  return rate(deliveries, first, last);
}

/** Finished triggers that are past their retention. */
async function oldOnes(scene: Scene): Promise<number> {
  const [row] = await scene.database.query<{ n: number }>(
    `SELECT COUNT(*) AS n FROM webhook_trigger WHERE ${OLD}`,
  );
  return Number(row?.n);
}

/** Lets an idle service delete the rest. @returns triggers a second. */
async function idle(scene: Scene, left: number): Promise<number> {
  if (left < WEBHOOKS) return 0;
  const service = await startService(scene.database.url, 'worker');
  const begin = now();
  while ((await oldOnes(scene)) > 0) await pause(500);
  const end = now();
  await service.stop();
  return (left / (end - begin)) * 1000;
}
