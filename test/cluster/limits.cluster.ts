import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { report as reportChange, toldBy } from '../delivery/groups.js';
import { ADMIN_KEY, type CallOptions } from '../support/call.js';
import { useReceiver } from '../support/fixture.js';
import { leaveOut } from '../support/left-out.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { webhookBody } from '../support/webhook.js';
import { ENCRYPTION_KEYS, ServiceProcess } from '../system/support/process.js';
import { report, seconds, whole } from '../system/support/suite.js';
import { Stage } from '../torture/support/stage.js';
import { Galera, missingForGalera } from './support/galera.js';

const LIMIT = 10;
const USERS = whole(20, 5);
const CALLS_PER_MINUTE = 100;
const NOTIFICATIONS = whole(3000, 300);
/** Users with a webhook that wants the changes of each record in order. */
const ORDERED = whole(40, 12);
const RECORDS = 20;
const CHANGES = [1, 2, 3, 4];

const group = missingForGalera.length === 0 ? describe : describe.skip;
if (missingForGalera.length > 0) leaveOut(`limits over nodes, for want of ${missingForGalera.join(', ')}.`);

/** As if a proxy had failed: each instance writes to another node, and the nodes know nothing of each other's locks. */
group('instances that write to different nodes of a Galera cluster', () => {
  const receiver = useReceiver('test');
  let cluster: Galera;
  let services: ServiceProcess[] = [];

  beforeAll(async () => {
    cluster = await Galera.start();
    await cluster.nodes[0]?.query('CREATE DATABASE cluster');
    services = await Promise.all(
      cluster.nodes.map(({ url }) =>
        ServiceProcess.at({
          ...{ BOOTSTRAP_API_KEY: ADMIN_KEY, ENCRYPTION_KEYS, LOG_LEVEL: 'warn', DATABASE_URL: url },
          WEBHOOKS_PER_USER: String(LIMIT),
          NOTIFICATION_RATE_LIMIT_PER_MINUTE: String(CALLS_PER_MINUTE),
        }),
      ),
    );
    for (const service of services) await service.start();
  }, 120_000);
  afterAll(async () => {
    await Promise.all(services.map((service) => service.end('SIGKILL')));
    await cluster?.close();
  }, 60_000);

  /** Makes the calls at once, in turn by each instance. @returns how often each status was answered. */
  async function atOnce(
    count: number,
    call: (service: ServiceProcess, turn: number) => Promise<{ status: number }>,
  ): Promise<Record<number, number>> {
    const turns = Array.from({ length: count }, (_, turn) => turn);
    const answers = await Promise.all(
      turns.map((turn) => call(services[turn % services.length] as ServiceProcess, turn)),
    );
    const statuses: Record<number, number> = {};
    for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
    return statuses;
  }

  const anyone = () => services[0] as ServiceProcess;
  const newWebhook = (user_id: string, more: object = {}) =>
    webhookBody({ user_id, events: ['RECORD_FINISHED'], ...more });
  const reported = (user_id: string, service: ServiceProcess, options: CallOptions) => {
    const event = { event_kind: 'RECORD_FINISHED', user_id, record: { id: 'r', analysis: [] } };
    return service.call('POST', '/v1/notification', event, options);
  };
  const keyOf = async (user_id: string): Promise<string> => {
    const key = { user_id, scopes: ['notifications:write'] };
    return (await anyone().call('POST', '/v1/api-key', key)).body.key;
  };

  it('give each user no more webhooks than the limit', async () => {
    const seen = [];
    for (let one = 0; one < USERS; one++) {
      const userId = newUser();
      seen.push(
        await atOnce(LIMIT + 5, (service) => service.call('POST', '/v1/webhook', newWebhook(userId))),
      );
    }
    report('limit of webhooks over nodes', {
      users: USERS,
      exact: seen.filter((one) => one[201] === LIMIT).length,
    });
    expect(seen).toEqual(Array(USERS).fill({ 201: LIMIT, 422: 5 }));
  });

  it('store a notification once for an idempotency key', async () => {
    const userId = newUser();
    await anyone().call('POST', '/v1/webhook', newWebhook(userId));
    const ids = new Set<string>();
    for (let round = 0; round < 10; round++) {
      await atOnce(6, async (service) => {
        const headers = { 'idempotency-key': `${userId} ${round}` };
        const answer = await reported(userId, service, { headers });
        expect([202, 409, 429]).toContain(answer.status);
        if (answer.status === 202) ids.add(answer.body.id);
        return answer;
      });
    }
    expect(ids.size).toBe(10);
  });

  it('make an event of a webhook once', async () => {
    const { body } = await anyone().call('POST', '/v1/webhook', newWebhook(newUser(), { events: [] }));
    const statuses = await atOnce(9, (service) =>
      service.call('POST', '/v1/webhook/event', { webhook_id: body.id, kind: 'STATUS_CHANGED' }),
    );
    expect(statuses).toEqual({ 201: 1, 409: 8 });
  });

  it('let no more calls of a key through than its limit', async () => {
    const userId = newUser();
    const key = await keyOf(userId);
    const statuses = await atOnce(CALLS_PER_MINUTE * 2, (service) => reported(userId, service, { key }));
    expect(statuses[202]).toBeLessThanOrEqual(CALLS_PER_MINUTE);
    expect(statuses[202]).toBeGreaterThan(CALLS_PER_MINUTE / 2);
    expect((statuses[202] ?? 0) + (statuses[429] ?? 0)).toBe(CALLS_PER_MINUTE * 2);
  });

  it('deliver the changes of each record in order, and leave none behind', async () => {
    const told = new Map<string, number[]>();
    receiver.respondWith((request) => {
      const { record, change } = toldBy(request);
      told.get(record)?.push(change);
      return {};
    });
    const arrivals = (record: string) => told.get(record)?.length ?? 0;
    let turn = 0;
    /** Each change through another instance, the next one at once or while the one before is being stored as delivered. */
    const tell = async (user: string, key: string, record: string, isAtOnce: boolean) => {
      for (const change of CHANGES) {
        const service = services[turn++ % services.length] as ServiceProcess;
        const call: ServiceProcess['call'] = (method, path, body) =>
          service.call(method, path, body, { key });
        await reportChange({ call }, user, record, change);
        const isDone = () => arrivals(record) >= (isAtOnce ? 0 : change);
        await until(isDone, { withinMs: 30_000, what: `change ${change} of ${record}` });
      }
    };
    const telling: Promise<void>[] = [];
    const startedAt = Date.now();
    for (let one = 0; one < ORDERED; one++) {
      const user = newUser();
      const fields = newWebhook(user, { url: receiver.url, settings: { ordering: 'record' } });
      expect(await anyone().call('POST', '/v1/webhook', fields)).toMatchObject({ status: 201 });
      const key = await keyOf(user);
      for (let n = 0; n < RECORDS; n++) {
        const record = `${user} ${n}`;
        told.set(record, []);
        telling.push(tell(user, key, record, n % 4 === 0));
      }
    }
    await Promise.all(telling);
    const haveAll = () => [...told.keys()].every((record) => arrivals(record) >= CHANGES.length);
    await until(haveAll, { withinMs: 30_000, what: 'all changes' });
    report('lines over nodes', { lines: told.size, took: seconds(Date.now() - startedAt) });
    expect([...told.values()]).toEqual(Array(told.size).fill(CHANGES));
  }, 60_000);

  it('deliver each notification once', async () => {
    const urls = cluster.nodes.map(({ url }) => url.replace(/cluster$/, 'deliveries'));
    await cluster.nodes[0]?.query('CREATE DATABASE deliveries');
    const processes = urls.map((url) => ({ DATABASE_URL: url, INSTANCE_TIMEOUT_SECONDS: '15' }));
    const stage = await Stage.open({ url: urls[0] as string }, { processes });
    try {
      stage.receiver.delayMs = 20;
      stage.load.start();
      await until(() => stage.load.accepted.size >= NOTIFICATIONS, { withinMs: 120_000, what: 'load' });
      await stage.settle();
      const figures = stage.figures();
      report('written to three nodes', { ...figures, refused: stage.load.refused });
      expect(figures.duplicates).toBe(0);
    } finally {
      await stage.close();
    }
  }, 180_000);
});
