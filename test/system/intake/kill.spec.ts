import { it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { newUser } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, startProcessOn } from '../support/process.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { Load } from './load.js';

const KILLS = 4;

describeWithRabbitmq.each(databases)('a consumer that is killed under load, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');

  it('loses nothing that was confirmed, and stores each message once', async () => {
    const env = { ...broker.env, ENCRYPTION_KEYS, INSTANCE_TIMEOUT_SECONDS: '3' };
    const service = await startProcessOn(database, env);
    const userId = newUser();
    await createWebhook(service, { user_id: userId, url: receiver.url });
    const load = new Load(receiver, userId, (report, messageId) => broker.send(report, { messageId }));
    database.defer(() => load.stop());
    for (let kill = 0; kill < KILLS; kill++) {
      await load.flows(200);
      await service.end('SIGKILL');
      await service.start();
    }
    await load.expectEachOnce();
    await broker.holds(0);
    await broker.holds(0, broker.refusedQueue);
  });
});
