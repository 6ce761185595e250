import type { Channel, ChannelModel } from 'amqplib';
import type { Clock } from '../../../platform/clock.js';
import { type BrokerAddress, shownBroker } from '../../../platform/config/intake-url.js';
import { settledInTime } from '../../../platform/settled-in-time.js';
import { watchHeaders } from './received-headers.js';

/** Longest time to connect, and to log in, in milliseconds. */
const CONNECT_MS = 5000;
/** Longest time to prepare a connection: a node may send heartbeats and answer nothing else. */
const PREPARE_MS = 30_000;
/** A peer that is silent for about twice as long is gone. */
const HEARTBEAT_SECONDS = 10;
/** How long a broker may take to confirm the end of a connection, in milliseconds. */
const CLOSE_MS = 1000;

/** A connection to one node of the broker. */
export interface BrokerConnection {
  model: ChannelModel;
  /** The node, without the login. */
  place: string;
}

interface NodesOptions {
  /** What the broker shows of the connection. */
  purpose: string;
  clock: Clock;
  stop: AbortSignal;
}

/** Connects to the nodes of a broker in turn, beginning with the one that worked last. */
export class BrokerNodes {
  private next = 0;

  constructor(
    private readonly nodes: BrokerAddress[],
    private readonly options: NodesOptions,
  ) {}

  /**
   * @param prepare makes of a connection what is wanted of it; if that fails, or takes too long, the next node is tried.
   * @throws Error naming what is wrong at each node
   */
  async connect<T>(prepare: (connection: BrokerConnection) => Promise<T>): Promise<T> {
    const problems: string[] = [];
    for (let tried = 0; tried < this.nodes.length && !this.options.stop.aborted; tried++) {
      const node = this.nodes[this.next] as BrokerAddress;
      const place = shownBroker(node);
      try {
        return await this.prepared({ model: await this.connected(node), place }, prepare);
      } catch (error) {
        problems.push(`${place}: ${(error as Error).message || String(error)}`);
        this.next = (this.next + 1) % this.nodes.length;
      }
    }
    throw new Error(problems.join('; '));
  }

  private async connected(node: BrokerAddress): Promise<ChannelModel> {
    // Loaded here, so that applications without a queue do not load it.
    const { connect } = await import('amqplib');
    const options = { timeout: CONNECT_MS, noDelay: true, keepAlive: true };
    const clientProperties = { connection_name: `webhook-notification-service ${this.options.purpose}` };
    // It is decoded again, as if it came from a URL.
    const vhost = encodeURIComponent(node.vhost);
    const model = await connect(
      { ...node, vhost, heartbeat: HEARTBEAT_SECONDS },
      { ...options, clientProperties },
    );
    // Without a listener an error would end the process. The end of the connection follows in any case.
    model.on('error', () => {});
    watchHeaders(model);
    return model;
  }

  private async prepared<T>(
    connection: BrokerConnection,
    prepare: (connection: BrokerConnection) => Promise<T>,
  ): Promise<T> {
    const { clock, stop } = this.options;
    let isTooLate = false;
    const end = () => cut(connection);
    const cancel = clock.after(PREPARE_MS, () => {
      isTooLate = true;
      end();
    });
    stop.addEventListener('abort', end);
    try {
      stop.throwIfAborted();
      return await prepare(connection);
    } catch (error) {
      await closeConnection(connection);
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
export async function closeConnection(
  { model }: Pick<BrokerConnection, 'model'>,
  channel?: Channel,
): Promise<void> {
  const closing = async () => {
    await channel?.close().catch(() => undefined);
    await model.close().catch(() => undefined);
  };
  await settledInTime(closing(), CLOSE_MS);
  cut({ model });
}

/** Ends a connection at once, whatever the broker does. */
export function cut({ model }: Pick<BrokerConnection, 'model'>): void {
  // Not in the library's types. It notices the end of its socket only by an error.
  const { stream } = model.connection as unknown as { stream?: { destroy(error: Error): void } };
  stream?.destroy(new Error('The connection was cut'));
}
