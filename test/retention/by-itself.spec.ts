import { describe, expect, it, jest } from '@jest/globals';
import { RequestHeadRepository } from '../../src/engine/send/head/request-head.repository.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { useDatabase, useReceiver, useTestClock } from '../support/fixture.js';
import { newUser, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { DAY_MS, left, store } from './stored.js';

const days = (ms: number) => (ms / DAY_MS).toFixed(12);
const env = {
  RETRY_SCHEDULE_SECONDS: '0.1',
  RETENTION_PAYLOAD_DAYS: days(500),
  RETENTION_DAYS: days(1500),
  // The longest: an attempt is held while the clock moves.
  DELIVERY_TIMEOUT_MS: '30000',
  INSTANCE_TIMEOUT_SECONDS: '600',
};
const clock = useTestClock();

/** Lets time pass until something holds. */
const passUntil = (holds: () => Promise<boolean>, what: string) =>
  until(
    () => {
      clock.advance(250);
      return holds();
    },
    { what },
  );

describe.each(databases)('retention by itself on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('test');

  it('removes all that was delivered, with its request head, and nothing that is being delivered', async () => {
    const service = await database.start(env);
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const heads = () => service.query('SELECT id FROM webhook_request_head');
    await Promise.all([1, 2, 3].map(() => trigger(service, user)));
    await until(async () => (await left(service)).attempts.length === 3);
    const release = receiver.hold();
    const open = await trigger(service, user);
    await receiver.waitFor(4);

    const looks = jest.spyOn(service.get(RequestHeadRepository), 'isBeingSent');
    const isPassedOver = async () => {
      const { notifications, overdue } = await left(service);
      return notifications.length === 1 && overdue.length === 1;
    };
    await passUntil(isPassedOver, 'that all else is gone');
    // At the second look it has not been deleted after the first.
    await passUntil(async () => looks.mock.calls.length > 1, 'a second look at the head');
    expect(await left(service)).toMatchObject({ triggers: [open], whole: [expect.any(String)] });
    expect(await heads()).toHaveLength(1);

    release();
    const rest = async () => [...Object.values(await left(service)), await heads()].flat();
    await passUntil(async () => (await rest()).length === 0, 'that all is gone');
    expect(receiver.requests).toHaveLength(4);
  });
});

describe('retention in a process with the role', () => {
  const database = useDatabase(databases[0] as TestDatabaseKind, 'test', 'migrated');

  it.each([
    ['both', 0],
    ['api', 1],
  ])('%s', async (ROLE, count) => {
    const service = await database.start({ ...env, ROLE });
    await store(service, [{ ageMs: DAY_MS, statuses: ['SUCCEEDED'] }]);
    clock.advance(1000);
    // What has come has begun.
    await new Promise(setImmediate);
    await service.get(Jobs).quiet();
    expect((await left(service)).notifications).toHaveLength(count);
  });
});
