import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe } from '@jest/globals';
import {
  type Channel,
  type ChannelModel,
  type ConfirmChannel,
  connect,
  type GetMessage,
  type Options,
} from 'amqplib';
import { leaveOut } from '../../support/left-out.js';
import { until } from '../../support/until.js';

export const AMQP_URL = process.env.TEST_AMQP_URL ?? 'amqp://guest:guest@127.0.0.1:5672';
export const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

async function rabbitmqAnswers(): Promise<boolean> {
  try {
    const model = await connect(AMQP_URL, { timeout: 5000 });
    await model.close();
    return true;
  } catch (error) {
    if (process.env.REQUIRE_RABBITMQ) throw error;
    const place = AMQP_URL.replace(/\/\/.*@/, '//');
    leaveOut(`all that takes messages from RabbitMQ. None answers at ${place} (TEST_AMQP_URL).`);
    return false;
  }
}

/** A `describe` whose tests are left out, and say so, where there is no RabbitMQ. */
export const describeWithRabbitmq = (await rabbitmqAnswers()) ? describe : describe.skip;

/** A publisher that waits for confirms, and queues of its own that are deleted at the end. */
export class TestBroker {
  queue = '';
  readonly url = AMQP_URL;
  private model: ChannelModel | undefined;
  private opened: ConfirmChannel | undefined;
  private readonly queues = new Set<string>();

  async open(): Promise<void> {
    this.model = await connect(AMQP_URL);
    this.model.on('error', () => {});
    this.opened = await this.model.createConfirmChannel();
    this.queue = this.newQueue();
    // Nobody would get what is published before there is a queue, and the broker would confirm it all the same.
    await this.declare();
  }

  async close(): Promise<void> {
    for (const queue of this.queues) await this.ask((channel) => channel.deleteQueue(queue));
    this.queues.clear();
    await this.model?.close();
  }

  /** The settings of a service that consumes {@link queue}. */
  get env(): Record<string, string> {
    return { INTAKE_URL: this.url, INTAKE_QUEUE: this.queue };
  }

  get refusedQueue(): string {
    return `${this.queue}.refused`;
  }

  /** A name; it and that of its refused messages are deleted at the end. */
  newQueue(): string {
    const name = `test.${process.pid}.${randomUUID()}`;
    this.queues.add(name).add(`${name}.refused`);
    return name;
  }

  /** Asks over a channel of its own, because the broker closes it when it refuses something. */
  async ask<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    if (!this.model) throw new Error('The broker is there only in hooks and tests');
    const channel = await this.model.createChannel();
    channel.on('error', () => {});
    const answer = await work(channel);
    await channel.close();
    return answer;
  }

  declare(queue = this.queue): Promise<unknown> {
    return this.ask((channel) => channel.assertQueue(queue, QUORUM));
  }

  /** Declares {@link queue} anew, as one of the kind that the service would not make. */
  async declareClassic(): Promise<void> {
    await this.ask(async (channel) => {
      await channel.deleteQueue(this.queue);
      await channel.assertQueue(this.queue, { durable: true });
    });
  }

  /** Resolves when the broker has confirmed it. */
  async send(body: unknown, options: Options.Publish = {}): Promise<string> {
    const messageId = options.messageId ?? randomUUID();
    const content = Buffer.isBuffer(body)
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    await this.publish(content, { persistent: true, messageId, ...options });
    return messageId;
  }

  /** Publishes with some bytes replaced by as many others, as by a client that writes what amqplib would not. */
  async publishReplaced(content: Buffer, options: Options.Publish, from: Buffer, to: Buffer): Promise<void> {
    const model = await connect(AMQP_URL);
    const { stream } = model.connection as unknown as { stream: { write(bytes: Buffer): boolean } };
    const write = stream.write.bind(stream);
    let replaced = false;
    stream.write = (bytes) => {
      const at = bytes.indexOf(from);
      if (at < 0) return write(bytes);
      replaced = true;
      return write(Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)]));
    };
    const channel = await model.createConfirmChannel();
    channel.sendToQueue(this.queue, content, { persistent: true, ...options });
    await channel.waitForConfirms();
    await model.close();
    if (!replaced) throw new Error('The bytes to replace were not sent');
  }

  publish(content: Buffer, options: Options.Publish): Promise<void> {
    return new Promise((resolve, reject) => {
      this.opened?.sendToQueue(this.queue, content, options, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Takes the next message from the queue of refused ones. */
  refused(): Promise<GetMessage> {
    const look = async () => {
      if ((await this.ready(this.refusedQueue).catch(() => 0)) === 0) return null;
      return (await this.ask((channel) => channel.get(this.refusedQueue, { noAck: true }))) || null;
    };
    return until(look, { what: 'a refused message' });
  }

  /** How many messages are ready, not counting those that are delivered and not acknowledged. */
  async ready(queue = this.queue): Promise<number> {
    return (await this.ask((channel) => channel.checkQueue(queue))).messageCount;
  }

  /** Resolves when this many messages are ready. */
  holds(count: number, queue = this.queue): Promise<unknown> {
    const look = async () => (await this.ready(queue)) === count;
    return until(look, { what: `${count} messages in ${queue}` });
  }

  /** Resolves when this many consume the queue. */
  consumers(count: number): Promise<unknown> {
    const look = async () =>
      (await this.ask((channel) => channel.checkQueue(this.queue)).catch(() => null))?.consumerCount ===
      count;
    return until(look, { what: `${count} consumers` });
  }
}

/** A queue for each test, or for the block. Call it in a `describe` block. */
export function useBroker(lifetime: 'block' | 'test' = 'test'): TestBroker {
  const broker = new TestBroker();
  const [before, after] = lifetime === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(() => broker.open());
  after(() => broker.close());
  return broker;
}
