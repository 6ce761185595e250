import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import type { FaultName } from '../../support/faults.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { type Reply, startReceiver } from '../../support/receiver.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../../support/scene.js';
import { startService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';

const KEPT = 16 * 1024;

const settings = {
  DELIVERY_TIMEOUT_MS: '1000',
  RETRY_SCHEDULE_SECONDS: '3600',
  ALLOW_PRIVATE_NETWORK: 'false',
  ALLOWED_NETWORKS: '127.0.0.0/8',
};

describe.each(databases)('the outcome of an attempt on $name', (kind) => {
  const service = useService(kind, settings);
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const attempted = (id: string) => triggerWhen(service, id, (found) => found.attempt_count === 1);

  async function outcomeOf(responder: Reply | FaultName) {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith(responder);
    return attempted(await trigger(service, user));
  }

  it('is timeout when the deadline passes', async () => {
    const { attempts } = await outcomeOf('silent');
    expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(990);
    expect(attempts[0].duration_ms).toBeLessThan(1500);
  });
});

describe('many results of the largest size at once', () => {
  it.each(databases)('are stored on $name', async (kind) => {
    const many = 250;
    const database = await kind.create();
    const service = await startService(database.url, {
      WEBHOOK_CONCURRENCY: String(many),
      // One user may take three quarters of the slots.
      DELIVERY_CONCURRENCY: String(many * 2),
    });
    const receiver = await startReceiver();
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const all = receiver.waitFor(many, 10_000);
    receiver.respondWith({ body: Buffer.alloc(KEPT), after: all });
    const answers = await Promise.all(Array.from({ length: many }, () => notify(service, user)));
    const statuses = new Set<string>();
    for (const { body } of answers) statuses.add((await finished(service, body.triggers[0].id)).status);
    await service.stop();
    await receiver.close();
    await database.drop();
    expect([...statuses]).toEqual(['SUCCEEDED']);
  });
});
