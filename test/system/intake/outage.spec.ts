import { describe, expect, it } from '@jest/globals';
import { DeliveryMetrics } from '../../../src/engine/metrics/delivery-metrics.js';
import { IntakeConsumer } from '../../../src/notifier/intake/intake-consumer.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { FaultyProxy } from '../../support/proxy.js';
import { newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';

const COUNT = 300;

/** Whatever goes wrong in between, each message that the broker confirmed is stored once. On the database that can be away. */
describeWithRabbitmq.each(databases.slice(-1))('the intake on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');
  const userId = newUser();

  const send = (id: string) =>
    broker.send(
      { event_kind: 'RECORD_FINISHED', user_id: userId, record: { id, analysis: [] } },
      { messageId: id },
    );
  const sendMany = (from: number, count = COUNT) =>
    Promise.all(Array.from({ length: count }, (_, n) => send(`r${from + n}`)));
  const arrived = () => receiver.requests.map(({ body }) => JSON.parse(String(body)).data.id).sort();
  const expected = (count: number) => Array.from({ length: count }, (_, n) => `r${n}`).sort();
  const ids = () => new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));

  /** All of them have arrived, each under one id of its own, and none is left in the queue. */
  async function complete(count: number, withinMs = 20_000): Promise<void> {
    await receiver.waitFor((requests) => requests.length >= count, withinMs);
    await until(async () => (await broker.ready()) === 0, { what: 'an empty queue' });
    expect([...new Set(arrived())]).toEqual(expected(count));
    expect(ids().size).toBe(count);
  }

  async function started(env: Record<string, string> = {}): Promise<TestService> {
    const service = await database.start({ ...broker.env, ...env });
    await createWebhook(service, { user_id: userId, url: receiver.url });
    await broker.consumers(1);
    return service;
  }

  async function throughProxy(): Promise<{ proxy: FaultyProxy; env: Record<string, string> }> {
    const { proxy, url } = await FaultyProxy.before(`${broker.url}/`);
    database.defer(() => proxy.close());
    return { proxy, env: { INTAKE_URL: url.replace(/\/$/, '') } };
  }

  const metric = ({ app }: TestService, name: string) =>
    app.get(DeliveryMetrics, { strict: false }).registry.getSingleMetric(name)?.get();
  const messages = (service: TestService) => metric(service, 'webhook_intake_messages_total');

  it('stores once what is delivered again because its acknowledgement is lost', async () => {
    const { proxy, env } = await throughProxy();
    await started(env);
    for (let round = 0; round < 3; round++) {
      const sent = sendMany(round * COUNT);
      await receiver.waitFor((requests) => requests.length > round * COUNT);
      proxy.cut();
      await sent;
    }
    await complete(3 * COUNT);
  });

  it('comes back after the broker was away', async () => {
    const { proxy, env } = await throughProxy();
    const service = await started(env);
    await sendMany(0, 10);
    await complete(10);
    proxy.refuse();
    await broker.consumers(0);
    const away = await service.call('GET', '/health/ready');
    expect(away).toMatchObject({ status: 200, body: { checks: { intake: 'away' } } });
    expect((await service.call('GET', '/metrics')).text).toMatch(/^webhook_intake_connected 0$/m);
    await sendMany(10, 10);
    proxy.heal();
    await complete(20);
  });

  it('comes back after a connection that was silent', async () => {
    const { proxy, env } = await throughProxy();
    await started(env);
    proxy.freeze();
    await sendMany(0, 10);
    // Heartbeats notice it on both sides.
    await broker.consumers(0, 60_000);
    proxy.heal();
    await complete(10, 60_000);
  }, 150_000);

  it('uses another node of the broker while the first is away', async () => {
    const { proxy, env } = await throughProxy();
    const { host } = new URL(env.INTAKE_URL ?? '');
    const other = new URL(broker.url).host;
    await started({ INTAKE_URL: broker.url.replace(other, `${host},${other}`) });
    await sendMany(0, 50);
    await complete(50);
    proxy.refuse();
    await sendMany(50, 50);
    await complete(100);
  });

  it('goes on after its queue was deleted', async () => {
    await started();
    await broker.ask((channel) => channel.deleteQueue(broker.queue));
    await broker.consumers(1);
    await sendMany(0, 10);
    await complete(10);
  });

  it('finishes what is in hand at a shutdown, and leaves the rest to the next start', async () => {
    const service = await started();
    const sent = sendMany(0, 2 * COUNT);
    await receiver.waitFor(1);
    const begun = Date.now();
    await service.stop();
    expect(Date.now() - begun).toBeLessThan(20_000);
    await sent;
    const next = await database.start(broker.env);
    await complete(2 * COUNT);
    // What was delivered before the stop need not be delivered again.
    expect(receiver.requests.length).toBe(2 * COUNT);
    // Nothing that was stored came once more: its acknowledgement was on the way before the end of the connection.
    const { values = [] } = (await messages(next)) ?? {};
    expect(values.find(({ labels }) => labels.outcome === 'duplicate')?.value).toBe(0);
  });

  it('takes nothing as a worker', async () => {
    const { app } = await database.start({ ...broker.env, ROLE: 'worker' });
    expect(app.get(IntakeConsumer, { strict: false }).state).toBe('off');
  });

  if (kind.name === 'SQLite') return;

  describe('while the database is away', () => {
    async function behindProxy(): Promise<{ proxy: FaultyProxy; service: TestService }> {
      const { proxy, url } = await FaultyProxy.before(database.url);
      database.defer(() => proxy.close());
      return { proxy, service: await started({ DATABASE_URL: url }) };
    }
    /** Not by HTTP: other metrics are read from the database. */
    const retries = async (service: TestService): Promise<number> => {
      const { values = [] } = (await metric(service, 'webhook_intake_retries_total')) ?? {};
      return values.find(({ labels }) => labels.reason === 'database')?.value ?? 0;
    };

    it.each(['refuse', 'freeze'] as const)(
      'holds messages: %s',
      async (fault) => {
        const { proxy, service } = await behindProxy();
        await sendMany(0, 20);
        await complete(20);
        proxy[fault]();
        await sendMany(20);
        await until(async () => (await retries(service)) >= 3, { withinMs: 40_000, what: 'three tries' });
        // Neither returned nor put aside: they are held, by the same consumer.
        await broker.consumers(1);
        expect([await broker.ready(), await broker.ready(broker.refusedQueue)]).toEqual([0, 0]);
        const before = await retries(service);
        expect(before).toBeLessThan(50);
        proxy.heal();
        await complete(20 + COUNT, 60_000);
        const redelivered = await broker.ready(broker.refusedQueue);
        expect(redelivered).toBe(0);
      },
      120_000,
    );

    it('does not end at a shutdown what could not be stored', async () => {
      const { proxy, service } = await behindProxy();
      proxy.refuse();
      await sendMany(0, 20);
      await until(async () => (await retries(service)) >= 1, { what: 'a retry' });
      const stopping = service.stop();
      await until(async () => (await broker.ready()) === 20, { withinMs: 20_000, what: 'all given back' });
      await stopping;
      proxy.heal();
      await database.start(broker.env);
      await complete(20);
    }, 60_000);

    it.each([1290, 1030])(
      'holds messages if it answers %s',
      async (errno) => {
        const { proxy, service } = await behindProxy();
        proxy.answerWith('INSERT', errno);
        await sendMany(0, 20);
        await until(async () => (await retries(service)) >= 3, { what: 'three tries' });
        proxy.heal();
        await complete(20);
      },
      60_000,
    );
  });
});
