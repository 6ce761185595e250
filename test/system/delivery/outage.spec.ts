import { beforeEach, expect, it } from '@jest/globals';
import { callDeadline } from '../../../src/platform/call.js';
import { setCallDeadline, useUsualCallDeadline } from '../../support/call-deadline.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { type FaultyProxy, startBehindProxy } from '../../support/proxy.js';
import { finished, newUser, notify, trigger } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { queryOnce } from '../support/query-once.js';

const TIMEOUT_SECONDS = 3;
const ENV = { INSTANCE_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) };

describeOnMariadb('while $name is unavailable', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  useUsualCallDeadline();
  let proxy: FaultyProxy;
  let service: TestService;
  let user: string;

  beforeEach(async () => {
    user = newUser();
    ({ proxy, service } = await startBehindProxy(database, ENV));
    await createWebhook(service, { user_id: user, url: receiver.url });
  });

  const ready = async () => (await service.call('GET', '/health/ready')).status;
  const received = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));

  async function expectUnavailable(): Promise<void> {
    expect(callDeadline.ms).toBeLessThan(5000);
    // Far below it, as a busy machine takes time, too.
    const asUsual = setCallDeadline(1000);
    const startedAt = Date.now();
    const answers = await Promise.all([
      service.call('GET', '/v1/webhook/list'),
      service.call('POST', '/v1/webhook', { name: 'n', url: receiver.url }),
      notify(service, user),
    ]);
    expect(Date.now() - startedAt).toBeLessThan(5000);
    asUsual();
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'database_unavailable' } });
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(await service.call('GET', '/health/live')).toMatchObject({ status: 200 });
    expect(await ready()).toBe(503);
  }

  async function expectRecovery(): Promise<void> {
    await until(async () => (await ready()) === 200);
    expect(await finished(service, await trigger(service, user))).toMatchObject({ status: 'SUCCEEDED' });
  }

  it.each(['refuse', 'freeze'] as const)(
    '(%s) answers 503, stays live, and recovers on its own',
    async (fault) => {
      proxy[fault]();
      await expectUnavailable();
      proxy.heal();
      await expectRecovery();
    },
  );

  it('loses no accepted notification when connections are cut at any moment', async () => {
    const accepted: string[] = [];
    let stop = false;
    const worker = async () => {
      while (!stop) {
        const { status, body } = await notify(service, user);
        if (status === 202) accepted.push(body.id);
        else expect([status, body.code]).toEqual([503, 'database_unavailable']);
      }
    };
    const workers = Promise.all(Array.from({ length: 10 }, worker));
    for (const goal of [100, 200, 300, 400]) {
      await until(() => accepted.length > goal);
      proxy.cut();
    }
    stop = true;
    await workers;
    await until(() => accepted.every((id) => received().has(id)), {
      what: 'delivery of all',
    });
    await expectRecovery();
  });

  it('stores the result of an attempt that ended during the outage', async () => {
    const release = receiver.hold();
    const id = await trigger(service, user);
    await receiver.waitFor(1);
    proxy.refuse();
    release();
    await until(async () => (await ready()) === 503);
    proxy.heal();
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(receiver.requests).toHaveLength(1);
  });

  it('keeps what it is sending, even if another instance starts as the database comes back', async () => {
    const release = receiver.hold();
    const id = await trigger(service, user);
    await receiver.waitFor(1);
    proxy.refuse();
    const sql = 'SELECT heartbeat_at FROM webhook_instance';
    const heartbeatIsOld = async () => {
      const [row] = await queryOnce<{ heartbeat_at: string }>({ uri: database.url }, sql);
      return Date.now() - Number(row?.heartbeat_at) > TIMEOUT_SECONDS * 1000;
    };
    await until(heartbeatIsOld, { what: 'an outage longer than the timeout' });
    // The outage is over for this one first.
    const other = await database.start(ENV);
    proxy.heal();
    release();
    expect(await finished(other, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 1 });
    expect(receiver.requests).toHaveLength(1);
  });
});
