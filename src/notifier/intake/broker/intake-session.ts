import type { Channel, ConsumeMessage } from 'amqplib';
import { settledInTime } from '../../../platform/settled-in-time.js';
import { Acknowledgements } from './acknowledgements.js';
import { type BrokerConnection, closeConnection, cut } from './connection.js';
import { declareQueues, type QueueNames } from './queues.js';
import { sizeOfProperties } from './received-headers.js';

/** Once they are read, headers take more memory than they have bytes: long texts hardly, tiny values up to twenty times as much. */
const HEADERS_WEIGHT = 4;

interface SessionOptions {
  names: QueueNames;
  /** The most messages that are delivered and not acknowledged. */
  prefetch: number;
  /** The most bytes of bodies and headers of such messages, unless one alone has more. */
  maxBytes: number;
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
  readonly ended: Promise<SessionEnd>;
  private readonly acknowledgements: Acknowledgements;
  private isEnded = false;
  private underWay = 0;
  private bytes = 0;
  private largest = 0;
  private consumerTag = '';
  private cause: string | undefined;
  private onIdle = () => {};
  private resolveEnd: (end: SessionEnd) => void = () => {};

  private constructor(
    private readonly connection: BrokerConnection,
    private readonly channel: Channel,
    private readonly options: SessionOptions,
  ) {
    this.acknowledgements = new Acknowledgements(channel);
    this.ended = new Promise((resolve) => {
      this.resolveEnd = resolve;
    });
    const lost = (error?: Error) => {
      this.cause ??= error?.message;
      // The reason comes in another event, before or after.
      setImmediate(() => this.end(this.cause ?? 'The connection was closed'));
    };
    channel.on('error', (error) => {
      this.cause ??= error.message;
    });
    connection.model.on('error', (error) => {
      this.cause ??= error.message;
    });
    channel.on('close', () => lost());
    connection.model.on('close', lost);
  }

  /** @throws Error of the broker */
  static async open(connection: BrokerConnection, options: SessionOptions): Promise<IntakeSession> {
    const channel = await connection.model.createChannel();
    const session = new IntakeSession(connection, channel, options);
    await session.begin();
    return session;
  }

  /** The node that the messages come from. */
  get place(): string {
    return this.connection.place;
  }

  /** Ends it at once. The broker has back what is not acknowledged. */
  end(reason: string, fitting: number | null = null): void {
    if (this.isEnded) return;
    this.acknowledgements.flush();
    this.isEnded = true;
    this.resolveEnd({ reason, fitting });
    if (fitting === null) void closeConnection(this.connection, this.channel);
    // More would arrive until the broker has read of it.
    else cut(this.connection);
  }

  /** Takes no more messages, and ends when those under way are done, or when the time is up. */
  async finish(reason: string, withinMs: number): Promise<void> {
    if (this.isEnded) return;
    await settledInTime(this.idle(), withinMs);
    if (this.isEnded) return;
    this.acknowledgements.flush();
    // The end of the channel ends the session, too.
    this.cause ??= reason;
    await closeConnection(this.connection, this.channel);
    this.end(reason);
  }

  /** Takes no more messages, and waits for those under way. */
  private async idle(): Promise<void> {
    await this.channel.cancel(this.consumerTag).catch(() => undefined);
    if (this.underWay > 0)
      await new Promise<void>((resolve) => {
        this.onIdle = resolve;
      });
  }

  private async begin(): Promise<void> {
    const { names, prefetch } = this.options;
    await declareQueues(this.channel, names);
    await this.channel.prefetch(prefetch);
    const { consumerTag } = await this.channel.consume(names.queue, (message) => this.receive(message));
    this.consumerTag = consumerTag;
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
    if (this.bytes > this.options.maxBytes && this.acknowledgements.size > 1) {
      const fitting = Math.max(1, Math.floor(this.options.maxBytes / this.largest));
      this.end(`More than ${this.options.maxBytes} bytes were delivered at once`, fitting);
      return;
    }
    this.underWay++;
    void this.take(message, length);
  }

  private async take(message: ConsumeMessage, length: number): Promise<void> {
    const isDone = await this.options.take(message, () => !this.isEnded);
    this.bytes -= length;
    if (isDone && !this.isEnded) this.acknowledgements.finished(message);
    if (--this.underWay === 0) this.onIdle();
  }
}
