import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { InstanceRepository } from '../../src/engine/instance/instance.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { systemClock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { tokenReply } from '../support/authentication/token-endpoint.js';
import { moveClock, standStill } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTokenEndpoint } from '../support/fixture.js';
import { finished, newUser, notifyTimes, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** No heartbeat comes by itself while a test lasts. */
const TIMEOUT_SECONDS = 600;
const TIMEOUT_MS = TIMEOUT_SECONDS * 1000;

describe.each(databases)('a process that stood still, on $name,', (kind) => {
  const service = useService(kind, { INSTANCE_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) }, 'test');
  const receiver = useReceiver('test');
  const tokens = useTokenEndpoint();
  const user = newUser();
  const clock = { ...systemClock };
  let gate: PromiseWithResolvers<void>;

  beforeEach(async () => {
    // The other instance never beats: it would be taken for dead, and what it leased be sent.
    await service.get(Jobs).quiet();
    gate = Promise.withResolvers<void>();
  });
  afterEach(() => {
    gate.resolve();
    Object.assign(systemClock, clock);
  });

  const webhook = (more: object = {}) =>
    createWebhook(service, { user_id: user, url: receiver.url, settings: { concurrency: 1 }, ...more });
  const rows = () => service.query('SELECT id, status, leased_by, lease FROM webhook_trigger ORDER BY id');
  const leasing = async () => (await rows()).filter(({ status }) => status === 'DELIVERING');
  const instances = async (): Promise<string[]> =>
    (await service.query('SELECT id FROM webhook_instance ORDER BY id')).map(({ id }) => id);
  /** Another instance takes this one for dead, and its leases. @returns this one's id. */
  async function takeOver(): Promise<string | undefined> {
    const [own] = await instances();
    const other = newId();
    await service.query('DELETE FROM webhook_instance');
    await service.query('INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, 0, 0)', [
      other,
    ]);
    await service.query(
      `UPDATE webhook_trigger SET leased_by = ?, lease = lease + 1 WHERE status = 'DELIVERING'`,
      [other],
    );
    return own;
  }
  /** It is listed beside the other one. */
  const isBack = () =>
    until(async () => (await instances()).length === 2 || receiver.requests.length > 1, {
      what: 'a registration',
    });
  /** Gives back what instances that do not beat have leased, as the job does, until all have ended: a claim may be under way. */
  const givenBack = () =>
    until(
      async () => {
        await service.get(Database).query(
          `UPDATE webhook_trigger SET leased_by = '', lease = lease + 1, status = 'PENDING' WHERE status = 'DELIVERING'
           AND leased_by NOT IN (SELECT id FROM webhook_instance WHERE heartbeat_at > 0)`,
        );
        service.get(QueueSignals).emit('returned');
        return (await rows()).every(({ status }) => status === 'SUCCEEDED');
      },
      { what: 'the end of all triggers' },
    );

  it.each([
    ['a freeze', standStill],
    // The wall clock alone counts the time that the machine slept.
    ['the sleep of its machine', moveClock],
  ])('starts nothing under a lease that others took over, after %s', async (_, stop) => {
    await webhook();
    receiver.respondWith([{ after: gate.promise }, {}]);
    await notifyTimes(2, service, user);
    await receiver.waitFor(1);
    // One waits in memory.
    expect(await leasing()).toHaveLength(2);
    const own = await takeOver();
    stop(TIMEOUT_MS);
    gate.resolve();
    await isBack();
    expect(await instances()).not.toContain(own);
    expect(receiver.requests).toHaveLength(1);
    await givenBack();
    expect(receiver.requests).toHaveLength(3);
  });

  it('goes on at once where nobody took it for dead', async () => {
    await webhook();
    receiver.respondWith([{ after: gate.promise }, {}]);
    await notifyTimes(3, service, user);
    await receiver.waitFor(1);
    const before = await instances();
    standStill(TIMEOUT_MS);
    gate.resolve();
    await receiver.waitFor(3);
    expect(await instances()).toEqual(before);
    expect(receiver.requests).toHaveLength(3);
  });

  it('does not write a request for which it has got everything only now', async () => {
    tokens.respondWith({ ...tokenReply('x'), after: gate.promise });
    const oauth2 = { type: 'oauth2', token_url: `${tokens.url}/token`, client_id: 'a', client_secret: 'b' };
    await webhook({ authentication: oauth2 });
    await trigger(service, user);
    await tokens.waitFor(1);
    await takeOver();
    standStill(TIMEOUT_MS);
    gate.resolve();
    await isBack();
    expect(receiver.requests).toHaveLength(0);
    await givenBack();
    expect(receiver.requests).toHaveLength(1);
  });

  it('leases nothing to itself of what it accepts before its next heartbeat is confirmed', async () => {
    await webhook();
    const repository = service.get(InstanceRepository);
    const { heartbeat } = InstanceRepository.prototype;
    repository.heartbeat = async (id) => {
      await gate.promise;
      return heartbeat.call(repository, id);
    };
    // It may be claimed at once, and is not sent before the heartbeat all the same.
    const queue = service.get(QueueRepository);
    const { claim } = QueueRepository.prototype;
    queue.claim = async (by, ids) => {
      await gate.promise;
      return claim.call(queue, by, ids);
    };
    standStill(TIMEOUT_MS);
    const id = await trigger(service, user);
    expect(await rows()).toMatchObject([{ id, status: 'PENDING', leased_by: '' }]);
    gate.resolve();
    await finished(service, id);
    expect(receiver.requests).toHaveLength(1);
  });

  it('does not send what it claimed while others took it for dead', async () => {
    await webhook({ settings: { retry_schedule_seconds: [0.05] } });
    const queue = service.get(QueueRepository);
    const { claim } = QueueRepository.prototype;
    let claims = 0;
    queue.claim = async (by, ids) => {
      const claimed = await claim.call(queue, by, ids);
      claims++;
      await gate.promise;
      return claimed;
    };
    receiver.respondWith([{ status: 500 }, {}]);
    const id = await trigger(service, user);
    await until(() => claims > 0, { what: 'a claim' });
    const own = await takeOver();
    standStill(TIMEOUT_MS);
    const later = await trigger(service, user);
    await isBack();
    expect(await instances()).not.toContain(own);
    gate.resolve();
    await finished(service, later);
    expect(await rows()).not.toContainEqual(expect.objectContaining({ id, leased_by: own }));
  });
});
