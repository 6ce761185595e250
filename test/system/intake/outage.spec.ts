import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Channel, Message } from 'amqplib';
import { DeliveryMetrics } from '../../../src/engine/metrics/delivery-metrics.js';
import { IntakeConsumer } from '../../../src/notifier/intake/intake-consumer.js';
import { useNoCallDeadline, useUsualCallDeadline } from '../../support/call-deadline.js';
import { databases } from '../../support/databases.js';
import { useDatabase, useReceiver } from '../../support/fixture.js';
import { takeTime } from '../../support/hurry.js';
import { type FaultyProxy, proxied } from '../../support/proxy.js';
import { newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { type Stranger, strangerAt } from '../../support/stranger.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { describeWithRabbitmq, useBroker } from '../support/rabbitmq.js';
import { arrived, reportOf } from './scene.js';

const COUNT = 300;
/** Before a statement that waits for a lock gives up. */
const SOON = { withinMs: 10_000 };

/** Whatever goes wrong in between, each message that the broker confirmed is stored once. On the database that can be away. */
describeWithRabbitmq.each(databases.slice(-1))('the intake on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const broker = useBroker();
  const receiver = useReceiver('test');
  useUsualCallDeadline();
  const userId = newUser();

  const idsOf = (from: number, count: number) => Array.from({ length: count }, (_, n) => `r${from + n}`);
  const sendMany = (from: number, count = COUNT) =>
    Promise.all(idsOf(from, count).map((id) => broker.send(reportOf(userId, id), { messageId: id })));

  /** All of them have arrived, each under one id of its own, and none is left in the queue. */
  async function complete(count: number): Promise<void> {
    await receiver.waitFor((requests) => requests.length >= count);
    await broker.holds(0);
    expect([...new Set(arrived(receiver))]).toEqual(idsOf(0, count).sort());
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(count);
  }

  async function started(env: Record<string, string> = {}): Promise<TestService> {
    const service = await database.start({ ...broker.env, ...env });
    await createWebhook(service, { user_id: userId, url: receiver.url });
    await broker.consumers(1);
    return service;
  }

  async function throughProxy() {
    const { proxy, url } = await proxied(database, `${broker.url}/`);
    return { proxy, env: { INTAKE_URL: url.replace(/\/$/, '') } };
  }

  /** Not by HTTP: other metrics are read from the database. */
  async function counted(service: TestService, name: string, labels: object): Promise<number> {
    const metric = await service.get(DeliveryMetrics).registry.getSingleMetric(name)?.get();
    const [label, value] = Object.entries(labels)[0] as [string, string];
    return metric?.values.find((one) => one.labels[label] === value)?.value ?? 0;
  }

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
    await broker.consumers(0);
    proxy.heal();
    await complete(10);
  });

  it('goes on after its queue was deleted', async () => {
    await started();
    await broker.ask((channel) => channel.deleteQueue(broker.queue));
    await broker.consumers(1);
    await sendMany(0, 10);
    await complete(10);
  });

  /** The delivery tags that are acknowledged from now on, and the function that stops it. */
  async function acknowledged(): Promise<{ tags: Set<number>; undo: () => void }> {
    const prototype: Channel = await broker.ask(async (channel) => Object.getPrototypeOf(channel));
    const { ack } = prototype;
    const tags = new Set<number>();
    const spy = jest.spyOn(prototype, 'ack').mockImplementation(function (
      this: Channel,
      message: Message,
      allUpTo?: boolean,
    ) {
      // It throws if the channel is closed.
      ack.call(this, message, allUpTo);
      const { deliveryTag } = message.fields;
      for (let tag = allUpTo ? 1 : deliveryTag; tag <= deliveryTag; tag++) tags.add(tag);
    });
    return { tags, undo: () => spy.mockRestore() };
  }

  describe('at a shutdown', () => {
    useNoCallDeadline();

    it('finishes what is in hand, and leaves the rest to the next start', async () => {
      const { tags, undo } = await acknowledged();
      const service = await started();
      const sent = sendMany(0, 2 * COUNT);
      await receiver.waitFor(1);
      // What is not done within five seconds is delivered again.
      const asUsual = takeTime();
      await service.stop();
      asUsual();
      undo();
      // Whether the broker takes them is another matter: of many at once, a quorum queue forgets those past 32 when the channel is closed.
      expect(tags.size).toBe(await counted(service, 'webhook_intake_messages_total', { outcome: 'stored' }));
      await sent;
      await database.start(broker.env);
      await complete(2 * COUNT);
      // What was delivered before the stop need not be delivered again.
      expect(receiver.requests.length).toBe(2 * COUNT);
    });
  });

  it('takes nothing as a worker', async () => {
    const service = await database.start({ ...broker.env, ROLE: 'worker' });
    expect(service.get(IntakeConsumer).state).toBe('off');
  });

  // On SQLite there is no connection to cut, and no other one.
  if (kind.name === 'SQLite') return;

  describe('while the database is away', () => {
    async function behindProxy() {
      const { proxy, url } = await proxied(database);
      return { proxy, service: await started({ DATABASE_URL: url }) };
    }
    const retries = (service: TestService) =>
      counted(service, 'webhook_intake_retries_total', { reason: 'database' });
    const tried = (service: TestService, times: number) =>
      until(async () => (await retries(service)) >= times, { what: `${times} tries` });

    const FAULTS: [string, (proxy: FaultyProxy) => void][] = [
      ['refuses', (proxy) => proxy.refuse()],
      ['freezes', (proxy) => proxy.freeze()],
      ['may only be read', (proxy) => proxy.answerWith('INSERT', 1290)],
      ['reports an error of its disk', (proxy) => proxy.answerWith('INSERT', 1030)],
    ];
    it.each(FAULTS)('holds messages: it %s', async (_, fail) => {
      const { proxy, service } = await behindProxy();
      await sendMany(0, 20);
      await complete(20);
      fail(proxy);
      await sendMany(20);
      await tried(service, 3);
      // Neither returned nor put aside: they are held, by the same consumer.
      await broker.consumers(1);
      expect([await broker.ready(), await broker.ready(broker.refusedQueue)]).toEqual([0, 0]);
      expect(await retries(service)).toBeLessThan(50);
      proxy.heal();
      await complete(20 + COUNT);
      expect(await broker.ready(broker.refusedQueue)).toBe(0);
    });

    it('does not end at a shutdown what could not be stored', async () => {
      const { proxy, service } = await behindProxy();
      proxy.refuse();
      await sendMany(0, 20);
      await tried(service, 1);
      const stopping = service.stop();
      await broker.holds(20);
      await stopping;
      proxy.heal();
      await database.start(broker.env);
      await complete(20);
    });
  });

  describe('while a row of a message is locked by a process that stands still', () => {
    /** A transaction of that process. */
    let frozen: Stranger;
    let service: TestService;
    beforeEach(async () => {
      service = await started();
      frozen = await strangerAt(database);
    });
    const send = (id: string) => broker.send(reportOf(userId, id), { messageId: id });
    const hashOf = (id: string) =>
      createHash('sha256')
        .update(JSON.stringify([userId, 'intake', id]))
        .digest('hex');

    async function othersArrive(before: string[]): Promise<void> {
      const others = Array.from({ length: 20 }, (_, n) => `other-${n}`);
      // One after another, so that they meet it in every state.
      for (const [n, id] of others.entries()) {
        await send(id);
        await until(() => receiver.requests.length > before.length + n, SOON);
      }
      expect(arrived(receiver)).toEqual([...before, ...others].sort());
    }

    it('stores all others, and that one afterwards', async () => {
      await frozen.query(
        `INSERT INTO webhook_idempotency (hash, request_hash, subject_id, created_at) VALUES (?, 'r', 's', ?)`,
        [hashOf('stuck'), Date.now()],
      );
      await send('stuck');
      await othersArrive([]);
      await frozen.letGo();
      await receiver.waitFor(21);
      expect(arrived(receiver)).toContain('stuck');
      await broker.holds(0);
    });

    it('stores all others, and takes that one for a duplicate if it was stored before', async () => {
      await send('stuck');
      await receiver.waitFor(1);
      await frozen.lock('webhook_idempotency', [hashOf('stuck')], { key: 'hash' });
      await send('stuck');
      await othersArrive(['stuck']);
      await frozen.letGo();
      const duplicates = () => counted(service, 'webhook_intake_messages_total', { outcome: 'duplicate' });
      await until(async () => (await duplicates()) === 1, { what: 'the duplicate' });
      expect(receiver.requests).toHaveLength(21);
    });

    it('refuses a call with its key as in use, and takes others', async () => {
      const post = (key: string) => {
        const headers = { 'idempotency-key': key };
        return service.call('POST', '/v1/notification', reportOf(userId, key), { headers });
      };
      const first = await post('stuck');
      await frozen.query('SELECT hash FROM webhook_idempotency FOR UPDATE');
      const [again, ...others] = await Promise.all(['stuck', 'a', 'b', 'c'].map(post));
      expect(again).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use' } });
      expect(others.map(({ status }) => status)).toEqual([202, 202, 202]);
      await frozen.letGo();
      expect(await post('stuck')).toMatchObject({ status: 202, body: { id: first.body.id } });
    });
  });
});
