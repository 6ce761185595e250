import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfirmChannel, ConsumeMessage, MessageProperties, Options } from 'amqplib';
import { toDateTime } from '../../../platform/json/json-time.js';
import type { FieldError } from '../../../platform/problem.js';
import { Backoff } from '../backoff.js';
import type { IntakeRefusal } from '../intake-handler.js';
import { type BrokerConnection, type BrokerNodes, closeConnection } from './connection.js';
import { declareQueues, type QueueNames } from './queues.js';

/** How long the broker may take to confirm a message, in milliseconds. It takes none while it is short of memory or disk. */
const CONFIRM_MS = 30_000;
/** Bytes of the header that names the fields. All headers together may have 64 KiB. */
const MAX_ERRORS_BYTES = 8 * 1024;
/** With these, a publisher could have the broker send copies to queues that only this service may write to. */
const ROUTING_HEADERS = ['CC', 'BCC'];

interface Writer {
  connection: BrokerConnection;
  channel: ConfirmChannel;
  /** Rejects what is published and not confirmed. */
  unconfirmed: Set<(error: Error) => void>;
}

/**
 * Puts messages that are refused into a queue of their own, with the reason. It has its own connection: a broker that is short
 * of memory stops reading from those that publish, and acknowledgements have to go on.
 */
export class RefusedMessages {
  private writer: Promise<Writer> | null = null;
  private lastProblem = '';
  /** Those that could not be put aside yet, and are tried again. */
  private readonly waiting = new Set<ConsumeMessage>();

  constructor(
    private readonly nodes: BrokerNodes,
    private readonly names: QueueNames,
    private readonly stop: AbortSignal,
    private readonly failed: (problem: unknown) => void,
  ) {}

  /** Whether messages wait that cannot be put aside now. */
  get isBehind(): boolean {
    return this.waiting.size > 0;
  }

  /**
   * Tries until the broker has confirmed that the message is in the queue.
   *
   * @param isWanted whether it still matters: not if the broker has the message back.
   * @returns whether it is in the queue.
   */
  async put(
    message: ConsumeMessage,
    refusal: IntakeRefusal,
    isWanted: () => boolean,
    now: number,
  ): Promise<boolean> {
    const backoff = new Backoff(500, 30_000);
    while (isWanted() && !this.stop.aborted) {
      try {
        await this.publish(message, refusal, now);
        this.lastProblem = '';
        this.waiting.delete(message);
        return true;
      } catch (error) {
        const problem = (error as Error).message;
        this.waiting.add(message);
        if (problem !== this.lastProblem && !this.stop.aborted) this.failed(error);
        this.lastProblem = problem;
        await sleep(backoff.next(), undefined, { signal: this.stop }).catch(() => undefined);
      }
    }
    this.waiting.delete(message);
    return false;
  }

  async close(): Promise<void> {
    const writer = await this.writer?.catch(() => null);
    if (writer) await closeConnection(writer.connection);
  }

  private async publish(message: ConsumeMessage, refusal: IntakeRefusal, now: number): Promise<void> {
    this.writer ??= this.open();
    const opening = this.writer;
    const drop = () => {
      if (this.writer === opening) this.writer = null;
    };
    const writer = await opening.catch((error) => {
      drop();
      throw error;
    });
    try {
      await this.send(writer, message, refusal, now);
    } catch (error) {
      drop();
      void closeConnection(writer.connection);
      throw error;
    }
  }

  private open(): Promise<Writer> {
    return this.nodes.connect(async (connection) => {
      const channel = await connection.model.createConfirmChannel();
      const unconfirmed: Writer['unconfirmed'] = new Set();
      const fail = (error: Error) => {
        for (const reject of unconfirmed) reject(error);
        unconfirmed.clear();
      };
      channel.on('error', fail);
      connection.model.on('error', fail);
      channel.on('return', () =>
        fail(new Error(`NOT_FOUND: there is no queue ${this.names.refusedQueue} for refused messages`)),
      );
      await declareQueues(channel, this.names);
      return { connection, channel, unconfirmed };
    });
  }

  private send(
    { channel, unconfirmed }: Writer,
    { content, properties }: ConsumeMessage,
    refusal: IntakeRefusal,
    now: number,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error?: Error | null) => {
        clearTimeout(timer);
        unconfirmed.delete(end);
        if (error) reject(error);
        else resolve();
      };
      const timer = setTimeout(() => end(new Error('The broker does not confirm the message')), CONFIRM_MS);
      unconfirmed.add(end);
      const publish = (headers: object) => {
        const options = { ...keptOf(properties), headers, persistent: true, mandatory: true };
        channel.sendToQueue(this.names.refusedQueue, content, options, end);
      };
      const reason = reasonOf(refusal, this.names.queue, now);
      try {
        publishOr(
          () => publish({ ...headersOf(properties), ...reason }),
          // Its own headers cannot be written again, or are too many beside the reason.
          () => publish({ ...reason, 'webhook-refused-headers': 'left out' }),
        );
      } catch (error) {
        end(error as Error);
      }
    });
  }
}

function publishOr(publish: () => void, otherwise: () => void): void {
  try {
    publish();
  } catch {
    otherwise();
  }
}

/**
 * Not kept are an expiration, by which it would be lost, what the broker checks against the connection's user, and what cannot
 * be written again as it was read: a text that was no UTF-8 and has grown, or a time beyond 64 bits.
 */
const keptOf = ({
  messageId,
  contentType,
  contentEncoding,
  correlationId,
  timestamp,
  type,
  appId,
}: MessageProperties): Options.Publish => ({
  ...withoutLongTexts({ messageId, contentType, contentEncoding, correlationId, type, appId }),
  timestamp: timestamp < 2 ** 64 ? timestamp : undefined,
});

/** Bytes of a text in a property. */
const MAX_TEXT_BYTES = 255;

const withoutLongTexts = (texts: Record<string, string | undefined>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(texts).filter(([, text]) => Buffer.byteLength(text ?? '') <= MAX_TEXT_BYTES),
  );

const headersOf = ({ headers = {} }: MessageProperties) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ROUTING_HEADERS.includes(name)));

const reasonOf = ({ code, detail, errors }: IntakeRefusal, queue: string, now: number) => ({
  'webhook-refused-code': code,
  'webhook-refused-detail': detail,
  'webhook-refused-errors': JSON.stringify(firstOf(errors)),
  'webhook-refused-at': toDateTime(now),
  'webhook-refused-from': queue,
});

function firstOf(errors: FieldError[]): FieldError[] {
  let left = MAX_ERRORS_BYTES;
  return errors.filter((error) => {
    left -= Buffer.byteLength(JSON.stringify(error)) + 1;
    return left > 0;
  });
}
