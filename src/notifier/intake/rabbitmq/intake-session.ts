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

/** Why a session ended. */
export interface SessionEnd {
  reason: string;
  /** How many messages fit into the bytes, if there were too many bytes at once; otherwise null. */
  fitting: number | null;
}

/**
 * Consumes a queue over one channel of one connection, until either is gone.
 *
 *   open ──connection, channel or queue lost; too many bytes; given up──► ended: what is not acknowledged is delivered again
 *     └──finish──► no new messages ──those under way are done, or the time is up──► ended
 */
export class IntakeSession {
  private readonly acknowledgements: Acknowledgements;
  private readonly ending = Promise.withResolvers<SessionEnd>();
  private readonly underWay = new Set<Promise<void>>();
  private isEnded = false;
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

  get ended(): Promise<SessionEnd> {
    return this.ending.promise;
  }

  /** Ends it at once. The broker has back what is not acknowledged. */
  end(reason: string, fitting: number | null = null): void {
    if (this.isEnded) return;
    this.acknowledgements.flush();
    this.isEnded = true;
    this.ending.resolve({ reason, fitting });
    if (fitting === null) void closeConnection(this.model, this.channel);
    // More would arrive until the broker has read of it.
    else cut(this.model);
  }

  /** Takes no more messages, and ends when those under way are done, or when the time is up. */
  async finish(reason: string, withinMs: number): Promise<void> {
    if (this.isEnded) return;
    const idle = async () => {
      await this.channel.cancel(CONSUMER_TAG).catch(() => undefined);
      await Promise.all(this.underWay);
    };
    await settledInTime(idle(), withinMs);
    if (this.isEnded) return;
    this.acknowledgements.flush();
    // The end of the channel ends the session, too.
    this.cause ??= reason;
    await closeConnection(this.model, this.channel);
    this.end(reason);
  }

  private receive(message: ConsumeMessage | null): void {
    if (message === null) {
      this.end(
        `The broker has ended the consumer: the queue ${this.options.names.queue} was deleted, or moved`,
      );
      return;
    }
    if (this.isEnded) return;
    const length = message.content.length + HEADERS_WEIGHT * sizeOfProperties(message);
    this.acknowledgements.received(message);
    this.largest = Math.max(this.largest, length);
    this.bytes += length;
    if (this.bytes > MAX_BYTES && this.acknowledgements.size > 1) {
      const fitting = Math.max(1, Math.floor(MAX_BYTES / this.largest));
      this.end(`More than ${MAX_BYTES} bytes were delivered at once`, fitting);
      return;
    }
    const taking = this.take(message, length).finally(() => this.underWay.delete(taking));
    this.underWay.add(taking);
  }

  private async take(message: ConsumeMessage, length: number): Promise<void> {
    const isDone = await this.options.take(message, () => !this.isEnded);
    this.bytes -= length;
    if (isDone && !this.isEnded) this.acknowledgements.finished(message);
  }
}
