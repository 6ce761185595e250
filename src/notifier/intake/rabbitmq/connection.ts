import type { Channel, ChannelModel } from 'amqplib';
import { type BrokerAddress, shownBroker } from '../../../platform/config/intake-url.js';
import { settledInTime } from '../../../platform/settled-in-time.js';
import type { ConsumerTools } from '../consumer-tools.js';
import { watchHeaders } from './received-headers.js';

/** Longest time to connect, and to log in, in milliseconds. */
const CONNECT_MS = 5000;
/** Longest time to prepare a connection: a node may send heartbeats and answer nothing else. */
const PREPARE_MS = 30_000;
/** A peer that is silent for about twice as long is gone. */
const HEARTBEAT_SECONDS = 10;
/** How long a broker may take to confirm the end of a connection, in milliseconds. */
const CLOSE_MS = 1000;

/** Connects to the nodes of a broker in turn, beginning with the one that worked last. */
export class BrokerNodes {
  private next = 0;

  /** @param purpose what the broker shows of the connection. */
  constructor(
    private readonly nodes: BrokerAddress[],
    private readonly purpose: string,
    private readonly tools: Pick<ConsumerTools, 'clock' | 'stop'>,
  ) {}

  /** The node that worked last, or is tried next, without the login. */
  get place(): string {
    return shownBroker(this.node);
  }

  /**
   * @param prepare makes of a connection what is wanted of it; if that fails, or takes too long, the next node is tried.
   * @throws Error naming what is wrong at each node
   */
  async connect<T>(prepare: (model: ChannelModel) => Promise<T>): Promise<T> {
    const problems: string[] = [];
    for (let tried = 0; tried < this.nodes.length && !this.tools.stop.aborted; tried++) {
      try {
        return await this.prepared(await this.connected(), prepare);
      } catch (error) {
        problems.push(`${this.place}: ${(error as Error).message || String(error)}`);
        this.next = (this.next + 1) % this.nodes.length;
      }
    }
    throw new Error(problems.join('; '));
  }

  private get node(): BrokerAddress {
    return this.nodes[this.next] as BrokerAddress;
  }

  private async connected(): Promise<ChannelModel> {
    // Loaded here, so that applications without a queue do not load it.
    const { connect } = await import('amqplib');
    // It is decoded again, as if it came from a URL.
    const vhost = encodeURIComponent(this.node.vhost);
    const clientProperties = { connection_name: `webhook-notification-service ${this.purpose}` };
    const model = await connect(
      { ...this.node, vhost, heartbeat: HEARTBEAT_SECONDS },
      { timeout: CONNECT_MS, noDelay: true, keepAlive: true, clientProperties },
    );
    // Without a listener an error would end the process. The end of the connection follows in any case.
    model.on('error', () => {});
    watchHeaders(model);
    return model;
  }

  private async prepared<T>(model: ChannelModel, prepare: (model: ChannelModel) => Promise<T>): Promise<T> {
    const { clock, stop } = this.tools;
    let isTooLate = false;
    const end = () => cut(model);
    const cancel = clock.after(PREPARE_MS, () => {
      isTooLate = true;
      end();
    });
    stop.addEventListener('abort', end);
    try {
      stop.throwIfAborted();
      return await prepare(model);
    } catch (error) {
      await closeConnection(model);
      if (!isTooLate) throw error;
      throw new Error(`it is connected, and has not answered for ${PREPARE_MS} ms`);
    } finally {
      cancel();
      stop.removeEventListener('abort', end);
    }
  }
}

/**
 * Closes a connection, and does not wait for a broker that is silent.
 *
 * @param channel is closed before: the end of the connection would overtake its last acknowledgements.
 */
export async function closeConnection(model: ChannelModel, channel?: Channel): Promise<void> {
  const closing = async () => {
    await channel?.close().catch(() => undefined);
    await model.close();
  };
  await settledInTime(closing(), CLOSE_MS);
  cut(model);
}

/** Ends a connection at once, whatever the broker does. */
export function cut(model: ChannelModel): void {
  // Not in the library's types. It notices the end of its socket only by an error.
  const { stream } = model.connection as unknown as { stream?: { destroy(error: Error): void } };
  stream?.destroy(new Error('The connection was cut'));
}
