import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../support/process.js';

/** Keeps a webhook's queue in memory small, so that most of a few hundred triggers wait in the database. */
const env = { ENCRYPTION_KEYS, WEBHOOK_CONCURRENCY: '10', DELIVERY_TIMEOUT_MS: '30000', LOG_LEVEL: 'warn' };

describe.each(databases)('a process that ends on SIGTERM, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');

  it('finishes its attempts, loses nothing that it accepted and sends nothing twice', async () => {
    const user = newUser();
    const accepted = new Set<string>();
    const release = receiver.hold();
    const service = await startProcessOn(database, env);
    for (const name of ['a', 'b'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${name}` });
    const got = () => receiver.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
    const lost = () => {
      const arrived = new Set(got());
      return [...accepted].flatMap((id) => [`/a ${id}`, `/b ${id}`]).filter((one) => !arrived.has(one));
    };
    let left = 400;
    const report = async () => {
      while (left-- > 0) {
        const answer = await notify(service, user).catch(() => null);
        if (answer?.status === 202) accepted.add(answer.body.id);
      }
    };
    const reporting = Promise.all(Array.from({ length: 40 }, report));
    await until(() => accepted.size > 240);
    const ending = service.end('SIGTERM');
    await until(async () => (await service.readiness()) !== 200, { what: 'that it ends' });
    release();
    expect(await ending).toEqual({ code: 0, signal: null });
    await reporting;
    expect(lost().length).toBeGreaterThan(0);
    receiver.respondWith({});
    await startProcessOn(database, env);
    await until(() => lost().length === 0, { what: 'that nothing is lost' });
    expect(new Set(got()).size).toBe(got().length);
  });
});
