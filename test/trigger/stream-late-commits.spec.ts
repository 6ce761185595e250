import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChangeLog } from '../../src/engine/changes/change-log.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { FaultyProxy } from '../support/proxy.js';
import { newUser, notify, trigger } from '../support/scene.js';
import { startService, type TestService } from '../support/service.js';
import { StreamReader } from '../support/stream.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const TRIGGERS = '/v1/webhook/trigger/stream';
const NOTIFICATIONS = '/v1/notification/stream';

describe.each(databases)('a stream and what was begun before it on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver();
  const open: StreamReader[] = [];
  const clock = { ...systemClock };
  // A stream waits before it begins, for as long as others may not know that somebody watches.
  beforeEach(() => {
    systemClock.after = (ms, run) => clock.after(ms / 20, run);
  });
  afterEach(() => {
    Object.assign(systemClock, clock);
    for (const stream of open.splice(0)) stream.close();
  });

  async function follow(service: TestService, path: string): Promise<StreamReader> {
    const stream = await StreamReader.open(service.url + path);
    open.push(stream);
    return stream;
  }

  /** Longer than a write may take without being slow. */
  const seconds = () => standStill(2000);

  /** A service whose statements can be held back, and one beside it that streams. */
  async function slowAndOther(): Promise<{ proxy: FaultyProxy; slow: TestService; other: TestService }> {
    const { proxy, url } = await FaultyProxy.before(database.url);
    database.defer(() => proxy.close());
    const slow = await startService(url);
    database.defer(() => {
      proxy.heal();
      return slow.stop();
    });
    return { proxy, slow, other: await database.start() };
  }

  const onMariaDb = kind.name === 'MariaDB' ? it : it.skip;

  onMariaDb.each([
    ['COMMIT', { events: ['RECORD_FINISHED'] }],
    ['INSERT INTO webhook_notification', { events: [] }],
  ])('shows a notification whose %s takes seconds', async (statement, webhook) => {
    const { proxy, slow, other } = await slowAndOther();
    const user = newUser();
    await createWebhook(other, { user_id: user, url: receiver.url, ...webhook });
    proxy.holdBack(statement);
    const answer = notify(slow, user);
    await until(() => proxy.held > 0);
    const stream = await follow(other, NOTIFICATIONS);
    seconds();
    proxy.heal();
    const { body } = await answer;
    await stream.when(({ id }) => id === body.id);
  });

  onMariaDb('shows a result whose COMMIT takes seconds', async () => {
    const { proxy, slow, other } = await slowAndOther();
    const user = newUser();
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    receiver.respondWith('/late', { after: answered });
    await createWebhook(slow, { user_id: user, url: `${receiver.url}/late` });
    const id = await trigger(slow, user);
    await receiver.waitFor((requests) => requests.some(({ path }) => path === '/late'));
    proxy.holdBack('COMMIT');
    answer();
    await until(() => proxy.held > 0);
    const stream = await follow(other, TRIGGERS);
    seconds();
    proxy.heal();
    await stream.when((one) => one.id === id && one.status === 'SUCCEEDED');
  });

  it('notes what it had left out while nobody watched, when a slow write has ended', async () => {
    const service = await database.start();
    const changes = service.get(ChangeLog);
    const [slow, quick] = [newId(), newId()];
    await changes.noting({ trigger: [quick] }, null, async (noted) => expect(noted).toEqual([]));
    await changes.noting({ trigger: [slow] }, null, async (noted) => {
      expect(noted).toEqual([]);
      await follow(service, TRIGGERS);
      seconds();
    });
    const read = () =>
      service.get(Database).query<{ subject_id: string }[]>('SELECT subject_id FROM webhook_change');
    const found = await until(async () => ((await read()).length > 0 ? read() : null));
    expect(found.map(({ subject_id }) => subject_id)).toEqual([slow]);
  });
});
