import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Failpoint } from '../../../src/platform/failpoint.js';
import { ADMIN_KEY } from '../../support/call.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { finished, newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { ENCRYPTION_KEYS, ServiceProcess } from '../support/process.js';

const env = {
  ENCRYPTION_KEYS,
  BOOTSTRAP_API_KEY: ADMIN_KEY,
  RETRY_SCHEDULE_SECONDS: '1',
  INSTANCE_TIMEOUT_SECONDS: '3',
  LOG_LEVEL: 'warn',
};

/** From the result of a trigger that failed to the notification that tells it. */
const STEPS: Failpoint[] = ['settle-written', 'settle-committed', 'notice-written', 'notice-committed'];

describe.each(databases)('a process that dies while it tells of a failure, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  const watcher = useReceiver('test');
  let user: string;
  let service: ServiceProcess;

  beforeEach(async () => {
    user = newUser();
    receiver.respondWith({ status: 410 });
    service = await ServiceProcess.at({ DATABASE_URL: database.url, ...env });
    database.defer(() => service.end('SIGKILL'));
  });

  it.each(STEPS)('makes one notification, killed at %s', async (failpoint) => {
    await service.start({ FAILPOINT: failpoint });
    await createWebhook(service, { user_id: user, url: watcher.url, events: ['TRIGGER_FAILED'] });
    await createWebhook(service, { user_id: user, url: receiver.url });
    const answer = await notify(service, user).catch(() => null);
    await until(() => !service.isRunning, { what: `passing ${failpoint}` });
    expect((await service.exited).signal).toBe('SIGKILL');
    await service.start();
    const told = () =>
      watcher.requests
        .map(({ headers, body: sent }) => ({ id: headers['webhook-id'], sent: JSON.parse(String(sent)) }))
        .filter(({ sent }) => sent.event_kind === 'TRIGGER_FAILED');
    await until(() => told().length > 0, { what: 'telling' });
    const [trigger] = answer?.body.triggers ?? [];
    if (trigger) expect((await finished(service, trigger.id)).status).toBe('FAILED');
    // Delivery is at least once; what matters is that there is one notification.
    const lists = await service.call('GET', '/v1/webhook/trigger/list?event_kind=TRIGGER_FAILED');
    expect(lists.body.data).toHaveLength(1);
    expect(new Set(told().map(({ id }) => id))).toEqual(new Set([lists.body.data[0].notification_id]));
  });
});
