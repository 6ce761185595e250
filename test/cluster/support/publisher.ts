import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';

const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
const WORKERS = 20;
/** Each worker waits as long after a message that was confirmed, so that a long outage leaves no more than can be sent. */
const PACE_MS = 50;
const TRY_AGAIN_MS = 50;
/** A publisher that waits for longer repeats the message. */
const CONFIRM_MS = 20_000;

interface Link {
  model: ChannelModel;
  channel: ConfirmChannel;
}

interface PublisherOptions {
  /** Of the nodes, all on this machine. */
  ports: number[];
  queue: string;
  userId: string;
}

/**
 * Publishes events as publishers are told to: each waits until it is confirmed, and is otherwise published again under the same
 * message id, at another node. The record has the message's id.
 */
export class Publisher {
  /** When each message was confirmed, in epoch milliseconds, by its id. */
  readonly confirmed = new Map<string, number>();
  /** How often a message was published again. */
  repeats = 0;
  /** The longest time from the first try until the confirm. */
  slowestMs = 0;
  private readonly returned = new Set<string>();
  private opening: Promise<Link> | null = null;
  private current: Link | null = null;
  private turn = 0;
  private isStopped = false;
  private isAbandoned = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: PublisherOptions) {}

  start(): void {
    this.running = Promise.all(Array.from({ length: WORKERS }, (_, worker) => this.work(worker)));
  }

  /** Resolves when all that was begun is confirmed. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    await this.current?.model.close().catch(() => undefined);
  }

  /** Leaves what was begun unconfirmed. */
  abandon(): void {
    this.isAbandoned = true;
    this.isStopped = true;
    if (this.current) this.leave(this.current);
  }

  private async work(worker: number): Promise<void> {
    for (let n = 0; !this.isStopped; n++) {
      await this.publish(`${worker}-${n}`);
      await sleep(PACE_MS);
    }
  }

  private async publish(id: string): Promise<void> {
    const begun = Date.now();
    const record = { id, name: 'x'.repeat(300), analysis: [{ id: 'ana_1' }] };
    const event = { event_kind: 'RECORD_FINISHED', user_id: this.options.userId, record };
    const content = Buffer.from(JSON.stringify(event));
    while (!(await this.isConfirmed(id, content))) {
      if (this.isAbandoned) return;
      this.repeats++;
      await sleep(TRY_AGAIN_MS);
    }
    this.confirmed.set(id, Date.now());
    this.slowestMs = Math.max(this.slowestMs, Date.now() - begun);
  }

  private async isConfirmed(messageId: string, content: Buffer): Promise<boolean> {
    const link = await this.link().catch(() => null);
    if (!link) return false;
    const options = { persistent: true, mandatory: true, messageId, contentType: 'application/json' };
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), CONFIRM_MS);
      const end = (error?: unknown) => {
        clearTimeout(timer);
        resolve(!error);
      };
      try {
        link.channel.sendToQueue(this.options.queue, content, options, end);
      } catch (error) {
        end(error);
      }
    });
    // Also after a refusal: RabbitMQ 3.10 refuses everything on a channel that was opened while the queue had lost its leader.
    if (!isTaken) this.leave(link);
    // What no queue has taken is confirmed as well, after it was returned.
    return isTaken && !this.returned.delete(messageId);
  }

  private link(): Promise<Link> {
    this.opening ??= this.open().catch((error) => {
      this.opening = null;
      throw error;
    });
    return this.opening;
  }

  private async open(): Promise<Link> {
    const { ports, queue } = this.options;
    const port = ports[this.turn++ % ports.length] as number;
    const model = await connect({ hostname: '127.0.0.1', port, heartbeat: 5 }, { timeout: 5000 });
    model.on('error', () => {});
    try {
      const channel = await model.createConfirmChannel();
      const link = { model, channel };
      channel.on('error', () => {});
      channel.on('return', ({ properties }) => this.returned.add(properties.messageId));
      channel.once('close', () => this.leave(link));
      await channel.assertQueue(queue, QUORUM);
      if (this.isAbandoned) throw new Error('It is not needed any more');
      this.current = link;
      return link;
    } catch (error) {
      await model.close().catch(() => undefined);
      throw error;
    }
  }

  /** The next message goes to another node. */
  private leave(link: Link): void {
    if (this.current !== link) return;
    this.current = null;
    this.opening = null;
    link.model.close().catch(() => undefined);
  }
}
