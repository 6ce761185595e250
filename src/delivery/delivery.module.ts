import { HttpModule, HttpService } from '@nestjs/axios';
import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { isDatabaseUnavailable } from '../common/database-error.js';
import { failpoint } from '../common/failpoint.js';
import { settledInTime } from '../common/settled-in-time.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotencyPurge } from '../idempotency/idempotency-purge.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { AxiosTransport } from './axios.transport.js';
import { BacklogRepository } from './backlog.repository.js';
import { Claimer } from './claimer.js';
import { Connector } from './connector.js';
import { DeliveryEvents } from './delivery-events.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DisabledNotices } from './disabled-notices.js';
import { Dispatcher } from './dispatcher.js';
import { DueScan } from './due-scan.js';
import { Heartbeat } from './heartbeat.js';
import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { Intake } from './intake.js';
import { IntakeRepository } from './intake.repository.js';
import { LeaseReturns } from './lease-returns.js';
import { QueueRepository } from './queue.repository.js';
import { Recovery } from './recovery.js';
import { Sender } from './sender.js';
import { Settlement } from './settlement.js';
import { SettlementRepository } from './settlement.repository.js';
import { TargetRepository } from './target.repository.js';
import { Targets } from './targets.js';
import { TRANSPORT, type Transport } from './transport.js';
import { UndiciTransport } from './undici.transport.js';
import { WebhookHealth } from './webhook-health.js';
import { WebhookQueues } from './webhook-queues.js';

const transport = {
  provide: TRANSPORT,
  inject: [SETTINGS, Connector, HttpService],
  useFactory({ delivery }: Settings, connector: Connector, http: HttpService): Transport {
    return delivery.transport === 'axios'
      ? new AxiosTransport(http, connector)
      : new UndiciTransport(connector);
  },
};

/** The engine: accepts notifications, and claims, sends and settles their triggers. */
@Module({
  imports: [IdempotencyModule, TriggerModule, WebhookResourceModule, HttpModule],
  providers: [
    transport,
    DeliveryMetrics,
    DeliveryEvents,
    BacklogRepository,
    Instance,
    InstanceRepository,
    Heartbeat,
    Recovery,
    Intake,
    IntakeRepository,
    QueueRepository,
    LeaseReturns,
    Dispatcher,
    WebhookQueues,
    DueScan,
    Claimer,
    Targets,
    TargetRepository,
    Sender,
    Settlement,
    SettlementRepository,
    WebhookHealth,
    DisabledNotices,
  ],
  exports: [Intake, Dispatcher, WebhookQueues, DeliveryMetrics, BacklogRepository],
})
export class DeliveryModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly recovery: Recovery,
    private readonly purge: IdempotencyPurge,
    private readonly settlement: Settlement,
    private readonly dispatcher: Dispatcher,
    private readonly claimer: Claimer,
    private readonly database: Database,
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.checkSchema();
    if (this.settings.role === 'api') return;
    await this.heartbeat.start();
    await this.recovery.start();
    this.dispatcher.start();
    this.claimer.start();
    this.purge.start();
  }

  /** An application may forget to run the migrations; the service has looked before. */
  private async checkSchema(): Promise<void> {
    const missing = await this.database.missingFromSchema().catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) return null;
      throw error;
    });
    if (missing)
      throw new Error(`The tables of the webhooks are behind; run webhookMigrations. (${missing})`);
  }

  /** Each step has a bound of its own: the database may be silent. */
  async beforeApplicationShutdown(): Promise<void> {
    this.claimer.stop();
    await Promise.all([this.purge.stop(), this.dispatcher.stop()]);
    this.settlement.stop();
    this.recovery.stop();
    failpoint('stop-given-back');
    await settledInTime(this.heartbeat.stop());
    failpoint('stop-left');
    await settledInTime(this.transport.close());
  }
}
