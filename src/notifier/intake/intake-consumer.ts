import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DeliveryMetrics } from '../../engine/metrics/delivery-metrics.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { brokersOf } from '../../platform/config/intake-url.js';
import { REFUSED_SUFFIX, SETTINGS, type Settings } from '../../platform/config/settings.js';
import { settledInTime } from '../../platform/settled-in-time.js';
import { Backoff } from './backoff.js';
import { BrokerNodes } from './broker/connection.js';
import { IntakeSession, type SessionEnd } from './broker/intake-session.js';
import { explained, type QueueNames } from './broker/queues.js';
import { RefusedMessages } from './broker/refused-messages.js';
import { IntakeHandler } from './intake-handler.js';
import { IntakeMetrics } from './intake-metrics.js';
import { MessageTaker } from './message-taker.js';
import { Outage } from './outage.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A session that lasted this long was a good one. */
const STEADY_MS = 10_000;
/** Bytes of bodies and headers in hand. As many may wait for a commit (`Batcher`). */
const MAX_BYTES = 64 * 1024 * 1024;
/** How long fewer messages are held after there were too many bytes at once. */
const CAUTIOUS_MS = 60_000;
/**
 * How long messages are held while the database is away, before the broker gets them back. Well below the half hour after which
 * RabbitMQ takes them back itself.
 */
const GIVE_BACK_MS = 600_000;
/** How long a message that is at the database may take at a shutdown: a little longer than the database may. */
const FINISH_MS = 5000;

/** `off` without a URL, and in a worker; `away` while there is no connection or the database is away for long. */
export type IntakeState = 'off' | 'consuming' | 'away';

/**
 * Takes events from a queue of RabbitMQ.
 *
 *   away ──connected, queues declared──► consuming ──connection lost, too many bytes, database away for ten minutes──► away
 *     └── pauses that grow to half a minute; not before the database is there
 */
@Injectable()
export class IntakeConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Intake');
  private readonly stopping = new AbortController();
  private readonly names: QueueNames;
  private running: Promise<void> | null = null;
  private session: IntakeSession | null = null;
  private refused: RefusedMessages | null = null;
  private cancelGivingBack = () => {};
  private cancelRelaxing = () => {};
  private lastProblem = '';

  constructor(
    private readonly handler: IntakeHandler,
    private readonly deliveryMetrics: DeliveryMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    const { queue, refusedQueue, declare } = settings.intake;
    this.names = { queue, refusedQueue: refusedQueue ?? queue + REFUSED_SUFFIX, declare };
  }

  get state(): IntakeState {
    if (!this.running) return 'off';
    return this.session ? 'consuming' : 'away';
  }

  onApplicationBootstrap(): void {
    const { role, intake } = this.settings;
    if (intake.url === null || role === 'worker') return;
    this.running = this.run(intake.url);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    this.cancelGivingBack();
    await this.session?.finish('The application shuts down', FINISH_MS);
    if (this.refused) await settledInTime(this.refused.close());
    if (this.running) await settledInTime(this.running);
  }

  private async run(url: string): Promise<void> {
    const metrics = new IntakeMetrics(this.deliveryMetrics.registry);
    const stop = this.stopping.signal;
    const outage = this.outageWith(metrics);
    const nodesFor = (purpose: string) =>
      new BrokerNodes(brokersOf(url), { purpose, clock: this.clock, stop });
    const nodes = nodesFor('intake');
    const putAside = nodesFor('refused messages');
    this.refused = new RefusedMessages(putAside, this.names, stop, (error) =>
      this.logger.error(`A refused message cannot be put aside yet: ${explained(error, this.names)}`),
    );
    const { handler, refused, logger, clock } = this;
    const taker = new MessageTaker({
      handler,
      outage,
      refused,
      metrics,
      logger,
      stop,
      now: () => clock.now(),
    });
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let fitting: number | null = null;
    metrics.isConnected(false);
    while (!stop.aborted) {
      await outage.over();
      const begun = performance.now();
      try {
        const end = await this.consume(nodes, taker, fitting, metrics);
        fitting = end.fitting;
        if (performance.now() - begun > STEADY_MS) backoff.reset();
        if (!stop.aborted)
          this.logger.warn(`Taking events is interrupted. ${explained(new Error(end.reason), this.names)}`);
      } catch (error) {
        if (!stop.aborted) this.notConsuming(error);
      }
      await sleep(backoff.next(), undefined, { signal: stop }).catch(() => undefined);
    }
  }

  /** @param fitting how many messages at most, if more are too many bytes. @throws Error if it cannot begin */
  private async consume(
    nodes: BrokerNodes,
    taker: MessageTaker,
    fitting: number | null,
    metrics: IntakeMetrics,
  ): Promise<SessionEnd> {
    const { prefetch } = this.settings.intake;
    const options = {
      names: this.names,
      prefetch: fitting === null ? prefetch : Math.min(prefetch, fitting),
      maxBytes: MAX_BYTES,
      take: taker.take.bind(taker),
    };
    const session = await nodes.connect((connection) => IntakeSession.open(connection, options));
    this.session = session;
    this.lastProblem = '';
    metrics.isConnected(true);
    this.logger.log(`Taking events from the queue ${this.names.queue} of ${session.place}`);
    if (fitting !== null) this.relaxLater(session);
    // The shutdown may have begun while it was opened.
    if (this.stopping.signal.aborted) await session.finish('The application shuts down', FINISH_MS);
    const end = await session.ended;
    this.cancelRelaxing();
    this.session = null;
    metrics.isConnected(false);
    return end;
  }

  /** Not while messages are stuck: each time, they would be returned, which counts towards the broker's delivery limit. */
  private relaxLater(session: IntakeSession): void {
    this.cancelRelaxing = this.clock.after(CAUTIOUS_MS, () => {
      if (this.refused?.isBehind) this.relaxLater(session);
      else void session.finish('It goes on with as many messages at once as before', FINISH_MS);
    });
  }

  private outageWith(metrics: IntakeMetrics): Outage {
    const events = {
      begun: (detail: string) => {
        this.logger.warn(`Messages wait for the database. ${detail}`);
        this.cancelGivingBack = this.clock.after(GIVE_BACK_MS, () =>
          this.session?.end(
            'The database has been away for ten minutes: the broker gets the messages back until it is there',
          ),
        );
      },
      retried: () => metrics.retried('database'),
      ended: () => {
        this.cancelGivingBack();
        if (!this.stopping.signal.aborted) this.logger.log('The database is there again');
      },
    };
    return new Outage(events, this.stopping.signal);
  }

  /** The same problem is logged once. */
  private notConsuming(error: unknown): void {
    const problem = explained(error, this.names);
    if (problem !== this.lastProblem)
      this.logger.error(
        `No messages can be taken from the queue ${this.names.queue} for now, it is tried again: ${problem}`,
      );
    this.lastProblem = problem;
  }
}
