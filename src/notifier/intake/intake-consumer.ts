import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DeliveryMetrics } from '../../engine/metrics/delivery-metrics.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { outsideOfContexts } from '../../platform/contexts.js';
import { settledInTime } from '../../platform/settled-in-time.js';
import type { Broker } from './broker.js';
import { IntakeHandler } from './intake-handler.js';
import { IntakeMetrics } from './intake-metrics.js';
import { MessageTaker } from './message-taker.js';
import { RabbitmqConsumer } from './rabbitmq/rabbitmq-consumer.js';

/** `off` without a URL, and in a worker; `away` while there is no connection or the database is away for long. */
export type IntakeState = 'off' | 'consuming' | 'away';

/** Takes events from the broker that the settings name, from the start of the application to its end. */
@Injectable()
export class IntakeConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private taker: MessageTaker | null = null;
  private broker: Broker | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly handler: IntakeHandler,
    private readonly deliveryMetrics: DeliveryMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  get state(): IntakeState {
    if (!this.broker) return 'off';
    return this.broker.isConsuming ? 'consuming' : 'away';
  }

  onApplicationBootstrap(): void {
    const { role, intake } = this.settings;
    if (intake.url === null || role === 'worker') return;
    const tools = {
      logger: new Logger('Intake'),
      metrics: new IntakeMetrics(this.deliveryMetrics.registry, () => this.state === 'consuming'),
      clock: this.clock,
      stop: this.stopping.signal,
      giveBack: (reason: string) => this.broker?.giveBack(reason),
    };
    this.taker = new MessageTaker(this.handler, tools);
    const broker = new RabbitmqConsumer(intake.url, intake, this.taker, tools);
    this.broker = broker;
    this.running = outsideOfContexts(() => broker.run());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.broker?.finish();
    if (this.running) await settledInTime(this.running);
  }
}
