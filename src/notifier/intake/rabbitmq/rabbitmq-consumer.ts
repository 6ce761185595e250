import type { ConsumeMessage } from 'amqplib';
import { brokersOf } from '../../../platform/config/intake-url.js';
import { type IntakeConfig, REFUSED_SUFFIX } from '../../../platform/config/settings.js';
import { Backoff } from '../backoff.js';
import type { Broker } from '../broker.js';
import type { ConsumerTools } from '../consumer-tools.js';
import type { IntakeRefusal } from '../intake-handler.js';
import type { MessageTaker } from '../message-taker.js';
import { BrokerNodes } from './connection.js';
import { IntakeSession } from './intake-session.js';
import { explained, type QueueNames } from './queues.js';
import { RefusedMessages } from './refused-messages.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A session that lasted this long was a good one. */
const STEADY_MS = 10_000;
/** How long fewer messages are held after there were too many bytes at once. */
const CAUTIOUS_MS = 60_000;
/** How long a message that is at the database may take at a shutdown: a little longer than the database may. */
const FINISH_MS = 5000;

/**
 * Takes events from a queue of RabbitMQ.
 *
 *   away ──connected, queues declared──► consuming ──connection lost, too many bytes, database away for ten minutes──► away
 *     └── pauses that grow to half a minute; not before the database is there
 */
export class RabbitmqConsumer implements Broker {
  private readonly names: QueueNames;
  private readonly nodes: BrokerNodes;
  private readonly refused: RefusedMessages;
  private session: IntakeSession | null = null;

  constructor(
    url: string,
    private readonly config: IntakeConfig,
    private readonly taker: MessageTaker,
    private readonly tools: ConsumerTools,
  ) {
    const { queue, refusedQueue, declare } = config;
    this.names = { queue, refusedQueue: refusedQueue ?? queue + REFUSED_SUFFIX, declare };
    const nodesFor = (purpose: string) => new BrokerNodes(brokersOf(url), purpose, tools);
    this.nodes = nodesFor('intake');
    this.refused = new RefusedMessages(nodesFor('refused messages'), this.names, tools.clock);
  }

  get isConsuming(): boolean {
    return this.session !== null;
  }

  giveBack(reason: string): void {
    void this.session?.end(reason);
  }

  /** Takes no more messages, and ends when those under way are done, or after five seconds. */
  async finish(): Promise<void> {
    await this.session?.finish('The application shuts down', FINISH_MS);
  }

  /** Consumes until the intake stops. */
  async run(): Promise<void> {
    const { taker, tools, names } = this;
    const { logger, stop } = tools;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, stop);
    let fitting: IntakeSession['fitting'] = null;
    let lastProblem = '';
    while (!stop.aborted) {
      await taker.databaseIsThere();
      const begun = performance.now();
      try {
        const session = await this.opened(fitting);
        lastProblem = '';
        const reason = await session.ended;
        this.session = null;
        fitting = session.fitting;
        if (performance.now() - begun > STEADY_MS) backoff.reset();
        if (!stop.aborted) logger.warn(`Taking events is interrupted. ${explained(new Error(reason))}`);
      } catch (error) {
        const problem = explained(error);
        // The same problem is logged once.
        if (problem !== lastProblem && !stop.aborted)
          logger.error(
            `No messages can be taken from the queue ${names.queue} for now, it is tried again: ${problem}`,
          );
        lastProblem = problem;
      }
      await backoff.pause();
    }
    await this.refused.close();
  }

  /** @param fitting how many messages at most, if more are too many bytes. @throws Error if it cannot begin */
  private async opened(fitting: number | null): Promise<IntakeSession> {
    const { names, nodes, config, tools } = this;
    const prefetch = Math.min(config.prefetch, fitting ?? config.prefetch);
    const take = this.take.bind(this);
    const session = await nodes.connect((model) => IntakeSession.open(model, { names, prefetch, take }));
    this.session = session;
    tools.logger.log(`Taking events from the queue ${names.queue} of ${nodes.place}`);
    if (fitting !== null) this.relaxLater(session);
    // The shutdown may have begun while it was opened.
    if (tools.stop.aborted) await this.finish();
    return session;
  }

  private take(message: ConsumeMessage, isWanted: () => boolean): Promise<boolean> {
    const { messageId, headers } = message.properties;
    const putAside = (refusal: IntakeRefusal) => this.refused.put(message, refusal);
    return this.taker.take({ body: message.content, messageId, headers, isWanted, putAside });
  }

  /** Waits while messages are stuck: each time, they would be returned, which counts towards the broker's delivery limit. */
  private relaxLater(session: IntakeSession): void {
    this.tools.clock.after(CAUTIOUS_MS, () => {
      if (session !== this.session) return;
      if (this.taker.isBehind) this.relaxLater(session);
      else void session.finish('It goes on with as many messages at once as before', FINISH_MS);
    });
  }
}
