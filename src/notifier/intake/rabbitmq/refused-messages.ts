import type { ChannelModel, ConfirmChannel, ConsumeMessage, MessageProperties, Options } from 'amqplib';
import type { Clock } from '../../../platform/clock.js';
import { toDateTime } from '../../../platform/json/json-time.js';
import { writeJson } from '../../../platform/json/write-json.js';
import type { FieldError } from '../../../platform/problem.js';
import type { IntakeRefusal } from '../intake-handler.js';
import { type BrokerNodes, closeConnection } from './connection.js';
import { declareQueues, explained, type QueueNames } from './queues.js';

/** How long the broker may take to confirm a message, in milliseconds. It takes none while it is short of memory or disk. */
const CONFIRM_MS = 30_000;
/** Bytes of the header that names the fields. All headers together may have 64 KiB. */
const MAX_ERRORS_BYTES = 8 * 1024;
/** With these, a publisher could have the broker send copies to queues that only this service may write to. */
const ROUTING_HEADERS = ['CC', 'BCC'];

interface Writer {
  model: ChannelModel;
  channel: ConfirmChannel;
  /** What went wrong: from then on, nothing counts as confirmed. */
  problem: Error | null;
}

/**
 * Puts messages that are refused into a queue of their own, with the reason. It has its own connection: a broker that is short
 * of memory stops reading from those that publish, and acknowledgements have to go on.
 */
export class RefusedMessages {
  private writer: Promise<Writer> | null = null;

  constructor(
    private readonly nodes: BrokerNodes,
    private readonly names: QueueNames,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the broker has confirmed that the message is in the queue. @throws Error saying why it is not, and what to do */
  async put(message: ConsumeMessage, refusal: IntakeRefusal): Promise<void> {
    this.writer ??= this.open();
    const { writer } = this;
    try {
      await this.publish(await writer, message, refusal);
    } catch (error) {
      // The next one opens another.
      if (this.writer === writer) await this.close();
      throw new Error(explained(error));
    }
  }

  async close(): Promise<void> {
    const { writer } = this;
    this.writer = null;
    await writer?.then(({ model }) => closeConnection(model)).catch(() => undefined);
  }

  private open(): Promise<Writer> {
    return this.nodes.connect(async (model) => {
      const writer: Writer = { model, channel: await model.createConfirmChannel(), problem: null };
      const note = (error: Error) => {
        writer.problem ??= error;
      };
      writer.channel.on('error', note);
      model.on('error', note);
      // The broker confirms what it has returned, afterwards.
      writer.channel.on('return', () =>
        note(new Error(`NOT_FOUND: there is no queue ${this.names.refusedQueue} for refused messages`)),
      );
      await declareQueues(writer.channel, this.names);
      return writer;
    });
  }

  private publish(
    writer: Writer,
    { content, properties }: ConsumeMessage,
    refusal: IntakeRefusal,
  ): Promise<void> {
    const reason = reasonOf(refusal, this.names.queue, this.clock.now());
    return new Promise((resolve, reject) => {
      const end = (error: Error | null) => {
        clearTimeout(timer);
        const problem = writer.problem ?? error;
        if (problem) reject(problem);
        else resolve();
      };
      const send = (headers: object) => {
        const options = { ...keptOf(properties), headers, persistent: true, mandatory: true };
        writer.channel.sendToQueue(this.names.refusedQueue, content, options, end);
      };
      try {
        send({ ...headersOf(properties), ...reason });
      } catch {
        // Its own headers cannot be written again, or are too many beside the reason.
        send({ ...reason, 'webhook-refused-headers': 'left out' });
      }
      const timer = setTimeout(() => end(new Error('The broker does not confirm the message')), CONFIRM_MS);
    });
  }
}

/** Bytes of a text in a property. */
const MAX_TEXT_BYTES = 255;
const TEXTS = ['messageId', 'contentType', 'contentEncoding', 'correlationId', 'type', 'appId'] as const;

/**
 * The properties that are kept: texts and the time. An expiration would lose the message, and the broker checks others against the
 * connection's user. What cannot be written again as it was read is left out: a text that was no UTF-8 and has grown, or a time
 * beyond 64 bits.
 */
function keptOf(properties: MessageProperties): Options.Publish {
  const texts = TEXTS.map((name): [string, string | undefined] => [name, properties[name]]);
  return {
    ...Object.fromEntries(texts.filter(([, text = '']) => Buffer.byteLength(text) <= MAX_TEXT_BYTES)),
    timestamp: properties.timestamp < 2 ** 64 ? properties.timestamp : undefined,
  };
}

const headersOf = ({ headers = {} }: MessageProperties) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ROUTING_HEADERS.includes(name)));

const reasonOf = ({ code, detail, errors }: IntakeRefusal, queue: string, now: number) => ({
  'webhook-refused-code': code,
  'webhook-refused-detail': detail,
  'webhook-refused-errors': writeJson(firstOf(errors)),
  'webhook-refused-at': toDateTime(now),
  'webhook-refused-from': queue,
});

function firstOf(errors: FieldError[]): FieldError[] {
  let left = MAX_ERRORS_BYTES;
  return errors.filter((error) => {
    left -= Buffer.byteLength(writeJson(error)) + 1;
    return left > 0;
  });
}
