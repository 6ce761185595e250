import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { databases } from '../support/databases.js';
import { useDatabase, useReceiver } from '../support/fixture.js';
import { leaveOut } from '../support/left-out.js';
import { newUser } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';
import { Load } from '../system/intake/load.js';
import { startProcessOn } from '../system/support/process.js';
import { QUORUM } from '../system/support/rabbitmq.js';
import { report, whole } from '../system/support/suite.js';
import { missingForRabbitmq, RabbitmqCluster, type RabbitmqNode } from './support/rabbitmq-cluster.js';

/** From the loss of a node until messages flow again. */
const FAILOVER_MS = 30_000;
/** A publisher that waits for longer repeats the message. */
const CONFIRM_MS = 20_000;
const QUEUE = 'events';

interface Link {
  model: ChannelModel;
  channel: ConfirmChannel;
}

const group = missingForRabbitmq.length === 0 ? describe : describe.skip;
if (missingForRabbitmq.length > 0)
  leaveOut(`intake from a cluster of RabbitMQ, for want of ${missingForRabbitmq.join(', ')}.`);

group.each(databases.slice(-1))('the intake from three nodes of RabbitMQ, on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  const receiver = useReceiver('test');
  let cluster: RabbitmqCluster;
  beforeAll(async () => {
    cluster = await RabbitmqCluster.start();
  }, 300_000);
  afterAll(() => cluster?.close(), 60_000);

  let turn = 0;
  /** At the next node. */
  async function opened(): Promise<Link> {
    const { port } = cluster.nodes[turn++ % cluster.nodes.length] as RabbitmqNode;
    const model = await connect({ hostname: '127.0.0.1', port, heartbeat: 5 }, { timeout: 5000 });
    model.on('error', () => {});
    try {
      const channel = await model.createConfirmChannel();
      channel.on('error', () => {});
      await channel.assertQueue(QUEUE, QUORUM);
      return { model, channel };
    } catch (error) {
      await model.close().catch(() => {});
      throw error;
    }
  }
  const links: (Link | undefined)[] = [];
  const publish = async (event: object, messageId: string, worker: number) => {
    const { model, channel } = links[worker] ?? (await opened());
    links[worker] = undefined;
    const leave = () => model.close().catch(() => {});
    const patience = setTimeout(leave, CONFIRM_MS);
    try {
      channel.sendToQueue(QUEUE, Buffer.from(JSON.stringify(event)), { persistent: true, messageId });
      await channel.waitForConfirms();
      links[worker] = { model, channel };
    } catch (error) {
      // Also after a refusal: RabbitMQ 3.10 refuses all on a channel that was opened while the queue had lost its leader.
      await leave();
      throw error;
    } finally {
      clearTimeout(patience);
    }
  };

  it(
    'goes on at another node when its own is killed, and stores each message once',
    async () => {
      const service = await startProcessOn(database, {
        LOG_LEVEL: 'info',
        INTAKE_URL: cluster.url,
        INTAKE_QUEUE: QUEUE,
      });
      const userId = newUser();
      await createWebhook(service, { user_id: userId, url: receiver.url });
      const load = new Load(receiver, userId, publish);
      database.defer(() => load.stop());
      /** The port of the node from which the service took messages last. */
      const port = () => {
        const begun = [...service.output.matchAll(/Taking events from the queue \S+ of [^\s"]*:(\d+)/g)];
        return Number(begun.at(-1)?.[1]);
      };
      await load.flows(200);
      await cluster.whole(QUEUE, cluster.nodes[0] as RabbitmqNode);
      const kills = whole(6, 1);
      for (let round = 0; round < kills; round++) {
        const before = port();
        const node = cluster.nodes.find((one) => one.port === before) as RabbitmqNode;
        await node.end('SIGKILL');
        const hasMoved = () => port() !== before;
        await until(hasMoved, { withinMs: FAILOVER_MS, what: 'the service to take from another node' });
        await load.flows(200, { withinMs: FAILOVER_MS });
        node.spawn();
        await cluster.whole(QUEUE, node);
      }
      await load.expectEachOnce();
      // What was stored and not acknowledged would be ready again after the end of the consumer.
      expect((await service.end('SIGTERM')).code).toBe(0);
      const { model, channel } = await opened();
      const isFree = async () => (await channel.checkQueue(QUEUE)).consumerCount === 0;
      await until(isFree, { what: 'the end of the consumer' });
      for (const queue of [QUEUE, `${QUEUE}.refused`])
        expect(await channel.checkQueue(queue)).toMatchObject({ messageCount: 0 });
      await model.close();
      report('node of RabbitMQ killed', { kills, messages: load.confirmed.size });
      // The service and its database were there all the time.
      expect(receiver.requests).toHaveLength(load.received.size);
    },
    whole(900_000, 240_000),
  );
});
