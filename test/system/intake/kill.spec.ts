import { expect, it } from '@jest/globals';
import { ADMIN_KEY } from '../../support/call.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, ServiceProcess } from '../support/process.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

// On SQLite; test/cluster does it on MariaDB.
const KILLS = 4;

describeWithRabbitmq.each(databases.slice(0, 1))('a consumer that is killed under load, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');

  it('loses nothing that was confirmed, and stores each message once', async () => {
    const service = await ServiceProcess.at({
      ...broker.env,
      DATABASE_URL: database.url,
      BOOTSTRAP_API_KEY: ADMIN_KEY,
      ENCRYPTION_KEYS,
      INSTANCE_TIMEOUT_SECONDS: '3',
    });
    database.defer(() => service.end('SIGKILL'));
    await service.start();
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: receiver.url });
    const confirmed = new Set<string>();
    let isOver = false;
    const publish = async (worker: number) => {
      for (let n = 0; !isOver; n++) {
        const id = `${worker}-${n}`;
        const report = { event_kind: 'RECORD_FINISHED', user_id: userId, record: { id, analysis: [] } };
        await broker.send(report, { messageId: id });
        confirmed.add(id);
        await until(() => isOver || confirmed.size - received.size < 3000, { withinMs: 60_000 });
      }
    };
    /** The webhook-ids under which each record has come. */
    const received = new Map<string, Set<unknown>>();
    receiver.respondWith(({ headers, body }) => {
      const { id } = JSON.parse(String(body)).data;
      received.set(id, (received.get(id) ?? new Set()).add(headers['webhook-id']));
      return { status: 200 };
    });
    const load = Promise.all(Array.from({ length: 40 }, (_, worker) => publish(worker)));
    for (let kill = 0; kill < KILLS; kill++) {
      const before = received.size;
      await until(() => received.size > before + 200, { withinMs: 60_000, what: 'deliveries' });
      await service.end('SIGKILL');
      await service.start();
    }
    isOver = true;
    await load;
    await until(() => received.size >= confirmed.size, { withinMs: 60_000, what: 'that nothing is lost' });
    await until(async () => (await broker.ready()) === 0, { what: 'an empty queue' });
    expect([...confirmed].filter((id) => !received.has(id))).toEqual([]);
    expect([...received].filter(([, ids]) => ids.size !== 1)).toEqual([]);
    expect(await broker.ready(broker.refusedQueue)).toBe(0);
  }, 240_000);
});
