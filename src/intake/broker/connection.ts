import type { Channel, ChannelModel } from 'amqplib';
import { settledInTime } from '../../common/settled-in-time.js';
import { type BrokerAddress, shownBroker } from '../../config/intake-url.js';
import { surviveUnreadableHeaders } from './received-headers.js';

/** Longest time to connect, and to log in, in milliseconds. */
const CONNECT_MS = 5000;
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

/** Connects to the nodes of a broker in turn, beginning with the one that worked last. */
export class BrokerNodes {
  private next = 0;

  constructor(
    private readonly nodes: BrokerAddress[],
    private readonly purpose: string,
  ) {}

  /** @throws Error naming what is wrong at each node */
  async connect(): Promise<BrokerConnection> {
    // Loaded here, so that applications without a queue do not load it.
    const { connect } = await import('amqplib');
    const problems: string[] = [];
    for (let tried = 0; tried < this.nodes.length; tried++) {
      const node = this.nodes[this.next] as BrokerAddress;
      const place = shownBroker(node);
      try {
        const options = { timeout: CONNECT_MS, noDelay: true, keepAlive: true };
        const clientProperties = { connection_name: `webhook-notification-service ${this.purpose}` };
        const model = await connect(
          { ...node, heartbeat: HEARTBEAT_SECONDS },
          { ...options, clientProperties },
        );
        // Without a listener an error would end the process. The end of the connection follows in any case.
        model.on('error', () => {});
        surviveUnreadableHeaders(model);
        return { model, place };
      } catch (error) {
        problems.push(`${place}: ${(error as Error).message || String(error)}`);
        this.next = (this.next + 1) % this.nodes.length;
      }
    }
    throw new Error(problems.join('; '));
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
