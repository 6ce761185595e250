import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { connect } from 'amqplib';
import { newUser } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import type { PrivateMariadb } from '../../system/support/mariadb.js';
import { ServiceProcess } from '../../system/support/process.js';
import { report, seconds } from '../../system/support/suite.js';
import { SERVICE_ENV } from '../../torture/support/settings.js';
import { MessageReceiver } from './message-receiver.js';
import { Publisher } from './publisher.js';
import type { RabbitmqCluster, RabbitmqNode } from './rabbitmq-cluster.js';

const PATH = '/a';
const MORE = 200;
/** More than is taken at once. */
const BACKLOG = 600;
const SETTLE_MS = 180_000;

/** A publisher, a cluster of RabbitMQ, the service with a queue of its own there, its database, and one receiver. */
export class IntakeStage {
  /** The requests that had arrived at a fault, and were not stored as delivered. Only these may be repeated, each once. */
  readonly unsettled = new Set<string>();
  /** The node that led the queue when all of its members were last there. */
  leader: RabbitmqNode | null = null;

  private constructor(
    readonly cluster: RabbitmqCluster,
    readonly mariadb: PrivateMariadb,
    readonly queue: string,
    readonly service: ServiceProcess,
    readonly receiver: MessageReceiver,
    readonly publisher: Publisher,
  ) {}

  /** Opens it on an empty database, and waits until messages flow. */
  static async open(cluster: RabbitmqCluster, mariadb: PrivateMariadb): Promise<IntakeStage> {
    await mariadb.query('DROP DATABASE IF EXISTS torture', '');
    await mariadb.query('CREATE DATABASE torture', '');
    const queue = `events.${randomUUID()}`;
    const receiver = await MessageReceiver.start();
    receiver.delayMs = 20;
    const service = await ServiceProcess.at({
      ...SERVICE_ENV,
      LOG_LEVEL: 'info',
      DATABASE_URL: mariadb.url,
      INTAKE_URL: cluster.url,
      INTAKE_QUEUE: queue,
    });
    const userId = newUser();
    const publisher = new Publisher({ ports: cluster.nodes.map(({ port }) => port), queue, userId });
    const stage = new IntakeStage(cluster, mariadb, queue, service, receiver, publisher);
    try {
      await service.start();
      await createWebhook(service, { user_id: userId, url: receiver.url + PATH });
      publisher.start();
      await stage.flows();
      stage.leader = await cluster.whole(queue);
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  /** Waits until more is confirmed, and more has arrived. */
  async flows(): Promise<void> {
    const { publisher, receiver } = this;
    const goal = publisher.confirmed.size + MORE;
    const arrivals = receiver.arrivals + MORE;
    const isFlowing = () => publisher.confirmed.size >= goal && receiver.arrivals >= arrivals;
    await until(isFlowing, { withinMs: 120_000, what: `${MORE} more messages` }).catch((error) => {
      const figures = { confirmed: publisher.confirmed.size, goal, arrived: receiver.arrivals, arrivals };
      throw new Error(`${error.message}: ${JSON.stringify(figures)}\n${this.service.output.slice(-3000)}`);
    });
  }

  /** Waits until messages have gathered in the queue while nobody takes them. */
  async confirmedMore(): Promise<void> {
    const goal = this.publisher.confirmed.size + BACKLOG;
    const isEnough = () => this.publisher.confirmed.size >= goal;
    await until(isEnough, { withinMs: 60_000, what: `${BACKLOG} more messages confirmed` });
  }

  /** The port of the node from which the service took messages last. */
  get port(): number {
    const begun = [...this.service.output.matchAll(/Taking events from the queue \S+ of [^\s"]*:(\d+)/g)];
    return Number(begun.at(-1)?.[1] ?? 0);
  }

  /** After the end of the service: adds to {@link unsettled}. */
  async noteUnsettled(): Promise<void> {
    const rows = await this.mariadb.query<{ id: string }>(
      "SELECT notification_id AS id FROM webhook_trigger WHERE status <> 'SUCCEEDED'",
    );
    for (const { id } of rows) {
      const key = `${PATH} ${id}`;
      const requests = this.receiver.counts.get(key);
      if (requests) this.unsettled.add(`${key} ${requests}`);
    }
  }

  private async isSettled(): Promise<boolean> {
    const [row] = await this.mariadb.query<{ count: string }>(
      "SELECT COUNT(*) AS `count` FROM webhook_trigger WHERE status <> 'SUCCEEDED'",
    );
    return Number(row?.count) === 0;
  }

  /** Stops the publisher, waits until all is delivered and stored, and checks that each message was stored once. */
  async expectEachOnce(row: string, more: Record<string, number | string>): Promise<void> {
    const { publisher, receiver } = this;
    await publisher.stop();
    const missing = () => [...publisher.confirmed.keys()].filter((id) => !receiver.messages.has(id));
    await until(() => receiver.messages.size >= publisher.confirmed.size && missing().length === 0, {
      withinMs: SETTLE_MS,
      what: 'that nothing is lost',
    }).catch((error) => {
      throw new Error(
        `${error.message}: ${missing().length} are missing\n${this.service.output.slice(-3000)}`,
      );
    });
    await until(() => this.isSettled(), { withinMs: SETTLE_MS, what: 'settlement' });
    // What was stored and not acknowledged would be ready again after the end of the consumer.
    const { code } = await this.service.end('SIGTERM');
    const left = await this.leftInQueues();
    const { confirmed } = publisher;
    const storedTwice = [...receiver.messages.values()].filter((ids) => ids.size > 1).length;
    const slowestMs = Math.max(...[...receiver.firstAt].map(([id, at]) => at - (confirmed.get(id) ?? at)));
    report(row, {
      messages: confirmed.size,
      ...more,
      'published again': publisher.repeats,
      lost: missing().length,
      'stored twice': storedTwice,
      'delivered again': receiver.duplicates,
      'unsettled at the faults': this.unsettled.size,
      'slowest confirm': seconds(publisher.slowestMs),
      'slowest delivery': seconds(slowestMs),
    });
    const counted = await this.mariadb.query<{ status: string; rows: string }>(
      'SELECT status, COUNT(*) AS `rows` FROM webhook_trigger GROUP BY status',
    );
    const [stored] = await this.mariadb.query<{ rows: string }>(
      'SELECT COUNT(*) AS `rows` FROM webhook_notification',
    );
    expect({ storedTwice, left, code }).toEqual({ storedTwice: 0, left: [0, 0], code: 0 });
    expect([...receiver.messages.keys()].sort()).toEqual([...confirmed.keys()].sort());
    expect(receiver.counts.size).toBe(confirmed.size);
    expect(counted.map(({ status, rows }) => [status, Number(rows)])).toEqual([
      ['SUCCEEDED', confirmed.size],
    ]);
    expect(Number(stored?.rows)).toBe(confirmed.size);
    expect(receiver.duplicates).toBeLessThanOrEqual(this.unsettled.size);
  }

  async close(): Promise<void> {
    // Without an end of its own: what it has begun may never be confirmed.
    this.publisher.abandon();
    await this.service.end('SIGKILL');
    await this.receiver.close();
  }

  /** @returns how many messages are ready in the queue and in that of refused messages. */
  private async leftInQueues(): Promise<number[]> {
    const model = await connect({ hostname: '127.0.0.1', port: this.cluster.nodes[0]?.port });
    try {
      const channel = await model.createChannel();
      const asked = async (name: string) => channel.checkQueue(name);
      const isFree = async () => (await asked(this.queue)).consumerCount === 0;
      await until(isFree, { what: 'the end of the consumer' });
      const counts = [];
      for (const name of [this.queue, `${this.queue}.refused`]) counts.push((await asked(name)).messageCount);
      return counts;
    } finally {
      await model.close();
    }
  }
}
