import { HttpModule, HttpService } from '@nestjs/axios';
import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { failpoint } from '../common/failpoint.js';
import { settledInTime } from '../common/settled-in-time.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Connector } from '../egress/connector.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotencyPurge } from '../idempotency/idempotency-purge.js';
import { AxiosTransport } from '../transport/axios.transport.js';
import { TRANSPORT, type Transport } from '../transport/transport.js';
import { UndiciTransport } from '../transport/undici.transport.js';
import { TriggerModule } from '../trigger/trigger.module.js';
import { WebhookResourceModule } from '../webhook/webhook-resource.module.js';
import { Intake } from './accept/intake.js';
import { IntakeRepository } from './accept/intake.repository.js';
import { Claimer } from './claim/claimer.js';
import { Claims } from './claim/claims.js';
import { DueClaims } from './claim/due-claims.js';
import { DueScan } from './claim/due-scan.js';
import { UrgentClaims } from './claim/urgent-claims.js';
import { BacklogRepository } from './queue/backlog.repository.js';
import { QueueRepository } from './queue/queue.repository.js';
import { WebhookQueues } from './queue/webhook-queues.js';
import { Heartbeat } from './recover/heartbeat.js';
import { Instance } from './recover/instance.js';
import { InstanceRepository } from './recover/instance.repository.js';
import { LeaseRecovery } from './recover/lease-recovery.js';
import { LeaseRecoveryRepository } from './recover/lease-recovery.repository.js';
import { UnknownLeases } from './recover/unknown-leases.js';
import { DeliveryEvents } from './report/delivery-events.js';
import { DeliveryMetricsModule } from './report/delivery-metrics.module.js';
import { Dispatcher } from './send/dispatcher.js';
import { ReceiverRepository } from './send/receiver.repository.js';
import { Receivers } from './send/receivers.js';
import { Sender } from './send/sender.js';
import { DisabledNotices } from './settle/disabled-notices.js';
import { FinishedAttempts } from './settle/finished-attempts.js';
import { LeaseReturns } from './settle/lease-returns.js';
import { MysqlSettlementRepository } from './settle/mysql-settlement.repository.js';
import { Settlement } from './settle/settlement.js';
import { SettlementRepository } from './settle/settlement.repository.js';
import { SqliteSettlementRepository } from './settle/sqlite-settlement.repository.js';
import { WebhookHealth } from './settle/webhook-health.js';
import { WebhookHealthRepository } from './settle/webhook-health.repository.js';

const transport = {
  provide: TRANSPORT,
  inject: [SETTINGS, Connector, HttpService],
  useFactory({ delivery }: Settings, connector: Connector, http: HttpService): Transport {
    return delivery.transport === 'axios'
      ? new AxiosTransport(http, connector)
      : new UndiciTransport(connector);
  },
};

const settlementRepository = {
  provide: SettlementRepository,
  inject: [Database],
  useFactory: (database: Database): SettlementRepository =>
    database.dialect === 'sqlite'
      ? new SqliteSettlementRepository(database)
      : new MysqlSettlementRepository(database),
};

/** The engine: accepts notifications, and claims, sends and settles their triggers. */
@Module({
  imports: [DeliveryMetricsModule, IdempotencyModule, TriggerModule, WebhookResourceModule, HttpModule],
  providers: [
    transport,
    DeliveryEvents,
    BacklogRepository,
    Instance,
    InstanceRepository,
    Heartbeat,
    LeaseRecovery,
    LeaseRecoveryRepository,
    UnknownLeases,
    Intake,
    IntakeRepository,
    QueueRepository,
    LeaseReturns,
    Dispatcher,
    WebhookQueues,
    DueScan,
    Claims,
    DueClaims,
    UrgentClaims,
    Claimer,
    Receivers,
    ReceiverRepository,
    Sender,
    FinishedAttempts,
    Settlement,
    settlementRepository,
    WebhookHealth,
    WebhookHealthRepository,
    DisabledNotices,
  ],
  exports: [Intake, Dispatcher, WebhookQueues, BacklogRepository],
})
export class DeliveryModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly recovery: LeaseRecovery,
    private readonly purge: IdempotencyPurge,
    private readonly settlement: Settlement,
    private readonly dispatcher: Dispatcher,
    private readonly claimer: Claimer,
    @Inject(TRANSPORT) private readonly transport: Transport,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.role === 'api') return;
    await this.heartbeat.start();
    await this.recovery.start();
    this.dispatcher.start();
    this.claimer.start();
    this.purge.start();
  }

  /** Each step has its own time limit, as the database may be silent. */
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
