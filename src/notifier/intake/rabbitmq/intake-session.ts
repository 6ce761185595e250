import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { settledInTime } from '../../../platform/settled-in-time.js';
import { Acknowledgements } from './acknowledgements.js';
import { closeConnection, cut } from './connection.js';
import { declareQueues, type QueueNames } from './queues.js';
import { sizeOfProperties } from './received-headers.js';

/** The most bytes of bodies and headers in hand, unless one message alone has more. As many may wait for a commit (`Batcher`). */
const MAX_BYTES = 64 * 1024 * 1024;
/** Once they are read, headers take more memory than they have bytes: long texts hardly, tiny values up to twenty times as much. */
const HEADERS_WEIGHT = 4;
/** There is one consumer on the channel. */
const CONSUMER_TAG = 'intake';

interface SessionOptions {
  names: QueueNames;
  /** The most messages that are delivered and not acknowledged. */
  prefetch: number;
  /**
   * Takes a message. Never rejects.
   *
   * @param isWanted whether the session still goes on; otherwise the broker has the message back.
   * @returns whether to acknowledge it.
   */
  take(message: ConsumeMessage, isWanted: () => boolean): Promise<boolean>;
}

/**
 * Consumes a queue over one channel of one connection, until either is gone.
 *
 *   open ──connection, channel or queue lost; too many bytes; given up──► ended: what is not acknowledged is delivered again
 *     └──finish──► no new messages ──those under way are done, or the time is up──► ended
 */
export class IntakeSession {
  /** How many messages fit into the bytes, if it ended because there were too many bytes at once. */
  fitting: number | null = null;
  private readonly acknowledgements: Acknowledgements;
  private readonly ending = Promise.withResolvers<string>();
  private readonly underWay = new Set<Promise<void>>();
  private closing: Promise<void> | null = null;
  private bytes = 0;
  private largest = 0;
  private cause: string | undefined;

  private constructor(
    private readonly model: ChannelModel,
    private readonly channel: Channel,
    private readonly options: SessionOptions,
  ) {
    this.acknowledgements = new Acknowledgements(channel);
    const note = (error?: Error) => {
      this.cause ??= error?.message;
    };
    channel.on('error', note);
    model.on('error', note);
    model.on('close', note);
    // It ends with its connection as well, which tells the reason later.
    channel.on('close', () => setImmediate(() => this.end(this.cause ?? 'The connection was closed')));
  }

  /** @throws Error of the broker */
  static async open(model: ChannelModel, options: SessionOptions): Promise<IntakeSession> {
    const channel = await model.createChannel();
    const session = new IntakeSession(model, channel, options);
    const { names, prefetch } = options;
    await declareQueues(channel, names);
    await channel.prefetch(prefetch);
    await channel.consume(names.queue, (message) => session.receive(message), { consumerTag: CONSUMER_TAG });
    return session;
  }

  /** Resolves at its end with the reason. */
  get ended(): Promise<string> {
    return this.ending.promise;
  }

  /** Ends it at once, and resolves when the connection is closed. The broker has back what is not acknowledged. */
  end(reason: string): Promise<void> {
    this.closing ??= this.close(reason);
    return this.closing;
  }

  /** Takes no more messages, and ends when those under way are done, or when the time is up. */
  async finish(reason: string, withinMs: number): Promise<void> {
    const idle = async () => {
      await this.channel.cancel(CONSUMER_TAG).catch(() => undefined);
      await Promise.all(this.underWay);
    };
    if (!this.closing) await settledInTime(idle(), withinMs);
    await this.end(reason);
  }

  private async close(reason: string): Promise<void> {
    this.acknowledgements.flush();
    this.ending.resolve(reason);
    // More would arrive until the broker has read of it.
    if (this.fitting !== null) cut(this.model);
    else await closeConnection(this.model, this.channel);
  }

  private receive(message: ConsumeMessage | null): void {
    if (this.closing) return;
    if (message === null) {
      const { queue } = this.options.names;
      void this.end(`The broker has ended the consumer: the queue ${queue} was deleted, or moved`);
      return;
    }
    const length = message.content.length + HEADERS_WEIGHT * sizeOfProperties(message);
    this.acknowledgements.received(message);
    this.largest = Math.max(this.largest, length);
    this.bytes += length;
    if (this.bytes > MAX_BYTES && this.acknowledgements.size > 1) {
      this.fitting = Math.max(1, Math.floor(MAX_BYTES / this.largest));
      void this.end(`More than ${MAX_BYTES} bytes were delivered at once`);
      return;
    }
    const taking = this.take(message, length).finally(() => this.underWay.delete(taking));
    this.underWay.add(taking);
  }

  private async take(message: ConsumeMessage, length: number): Promise<void> {
    const isDone = await this.options.take(message, () => !this.closing);
    this.bytes -= length;
    if (isDone && !this.closing) this.acknowledgements.finished(message);
  }
}
