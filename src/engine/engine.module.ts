import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotencyPurge } from '../idempotency/idempotency-purge.js';
import { Connector } from '../network/connector.js';
import { TRANSPORT, type Transport } from '../network/transport/transport.js';
import { UndiciTransport } from '../network/transport/undici.transport.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { failpoint } from '../platform/failpoint.js';
import { settledInTime } from '../platform/settled-in-time.js';
import { Database } from '../store/database.js';
import { AudienceRepository } from './accept/audience.repository.js';
import { Capacity } from './accept/capacity.js';
import { DecisionSets } from './accept/decision-sets.js';
import { FanOut } from './accept/fan-out.js';
import { Intake } from './accept/intake.js';
import { IntakeRepository } from './accept/intake.repository.js';
import { ChangeRepository } from './changes/change.repository.js';
import { ChangeFeed } from './changes/change-feed.js';
import { ChangeLog } from './changes/change-log.repository.js';
import { ChangePruning } from './changes/change-pruning.js';
import { Positions } from './changes/position.js';
import { WatchRepository } from './changes/watch.repository.js';
import { Watch } from './changes/watch.service.js';
import { StatisticAdding } from './counts/adding.js';
import { OldStatisticRepository } from './counts/old-statistic.repository.js';
import { StatisticDeltaRepository } from './counts/statistic-delta.repository.js';
import { StatisticsUpkeep } from './counts/statistics-upkeep.js';
import { Claimer } from './dispatch/claimer.js';
import { Claims } from './dispatch/claims.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { DueRepository } from './dispatch/due.repository.js';
import { DueClaims } from './dispatch/due-claims.js';
import { DueScan } from './dispatch/due-scan.js';
import { UrgentClaims } from './dispatch/urgent-claims.js';
import { EventFilters } from './filter/event-filters.service.js';
import { Instance } from './instance/instance.js';
import { InstanceRepository } from './instance/instance.repository.js';
import { TaskLease } from './instance/task-lease.js';
import { Heartbeat } from './leases/heartbeat.js';
import { LeaseRecovery } from './leases/lease-recovery.js';
import { LeaseRecoveryRepository } from './leases/lease-recovery.repository.js';
import { UnknownLeases } from './leases/unknown-leases.js';
import { CancellationRepository } from './ledger/cancel/cancellation.repository.js';
import { Cancellations } from './ledger/cancel/cancellations.js';
import { UnwantedTriggers } from './ledger/cancel/unwanted-triggers.repository.js';
import { Ledger } from './ledger/ledger.repository.js';
import { LineMarks } from './ledger/line-mark.repository.js';
import { QueueSignals } from './ledger/queue-signals.js';
import { QueueTime } from './ledger/queue-time.js';
import { RecoverFrom } from './ledger/recover-from.repository.js';
import { UrgentTriggerRepository } from './ledger/urgent-trigger.repository.js';
import { DeliveryMetricsModule } from './metrics/delivery-metrics.module.js';
import { LineRepository } from './ordering/line.repository.js';
import { LineKeeper } from './ordering/line-keeper.js';
import { LineMembers } from './ordering/line-members.repository.js';
import { LineTurns } from './ordering/line-turns.repository.js';
import { PaceRepository } from './queue/pace.repository.js';
import { QueueRepository } from './queue/queue.repository.js';
import { WebhookQueues } from './queue/webhook-queues.js';
import { MysqlStepRepository } from './replay/mysql-step.repository.js';
import { ProbeSearch } from './replay/probe-search.js';
import { RecoveryShare } from './replay/recovery-share.js';
import { Redelivery } from './replay/redelivery.js';
import { RedeliveryRepository } from './replay/redelivery.repository.js';
import { RedeliveryStep } from './replay/redelivery-step.js';
import { RetryRepository } from './replay/retry.repository.js';
import { Revival } from './replay/revival.js';
import { RevivalRepository } from './replay/revival.repository.js';
import { MissedWalk } from './replay/scan/missed-walk.repository.js';
import { RecoveryCount } from './replay/scan/recovery-count.js';
import { RecoveryWalks } from './replay/scan/recovery-walks.js';
import { UndeliveredWalk } from './replay/scan/undelivered-walk.repository.js';
import { SqliteStepRepository } from './replay/sqlite-step.repository.js';
import { StepRepository } from './replay/step.repository.js';
import { BacklogRepository } from './report/backlog.repository.js';
import { DeliveryEvents } from './report/delivery-events.js';
import { NoticeRepository } from './report/notice.repository.js';
import { AccessTokens } from './send/access-tokens.js';
import { ErasedNotifications } from './send/erased-notifications.js';
import { RequestHeadRepository } from './send/head/request-head.repository.js';
import { RequestHeadSweep } from './send/head/request-head-sweep.js';
import { RequestHeads } from './send/head/request-heads.js';
import { ReceiverRepository } from './send/receiver.repository.js';
import { ReceiverCalls } from './send/receiver-calls.js';
import { Receivers } from './send/receivers.js';
import { Sender } from './send/sender.js';
import { FinishedAttempts } from './settle/finished-attempts.js';
import { DisabledNotices } from './settle/health/disabled-notices.js';
import { HealthNotes } from './settle/health/health-notes.js';
import { ProbingStartRepository } from './settle/health/probing-start.repository.js';
import { ReceiverPauses } from './settle/health/receiver-pauses.js';
import { WebhookHealth } from './settle/health/webhook-health.js';
import { WebhookHealthRepository } from './settle/health/webhook-health.repository.js';
import { LeaseReturns } from './settle/lease-returns.js';
import { MysqlSettlementRepository } from './settle/mysql-settlement.repository.js';
import { Settlement } from './settle/settlement.js';
import { SettlementRepository } from './settle/settlement.repository.js';
import { SqliteSettlementRepository } from './settle/sqlite-settlement.repository.js';

const transport = {
  provide: TRANSPORT,
  inject: [SETTINGS, Connector, LazyModuleLoader],
  async useFactory(
    { delivery }: Settings,
    connector: Connector,
    modules: LazyModuleLoader,
  ): Promise<Transport> {
    if (delivery.transport === 'undici') return new UndiciTransport(connector);
    // Loaded here, as few use it.
    const { hostAxios } = await import('../network/transport/host-axios.js');
    return hostAxios(modules, connector);
  },
};

const settlementRepository = {
  provide: SettlementRepository,
  inject: [Database, NoticeRepository, LineRepository, UnwantedTriggers, Ledger],
  useFactory: (
    database: Database,
    notices: NoticeRepository,
    lines: LineRepository,
    unwanted: UnwantedTriggers,
    ledger: Ledger,
  ): SettlementRepository =>
    database.dialect === 'sqlite'
      ? new SqliteSettlementRepository(database, notices, unwanted, ledger)
      : new MysqlSettlementRepository(database, notices, lines, unwanted, ledger),
};

const stepRepository = {
  provide: StepRepository,
  inject: [Database, Instance, Ledger],
  useFactory: (database: Database, instance: Instance, ledger: Ledger): StepRepository =>
    database.dialect === 'sqlite'
      ? new SqliteStepRepository(database, instance, ledger)
      : new MysqlStepRepository(database, instance, ledger),
};

/** What the resources use of the engine as well. */
const shared = [
  QueueSignals,
  QueueTime,
  UrgentTriggerRepository,
  RetryRepository,
  LineMarks,
  Ledger,
  CancellationRepository,
  UnwantedTriggers,
  ChangeLog,
  ChangeFeed,
  RequestHeads,
  RequestHeadRepository,
  EventFilters,
  RecoveryCount,
  RecoveryWalks,
  StatisticAdding,
  OldStatisticRepository,
];

/** The engine: accepts notifications, and claims, sends and settles their triggers. */
@Module({
  imports: [DeliveryMetricsModule, IdempotencyModule],
  providers: [
    ...shared,
    transport,
    DeliveryEvents,
    NoticeRepository,
    BacklogRepository,
    RecoverFrom,
    Cancellations,
    RequestHeadSweep,
    ChangeRepository,
    ChangePruning,
    Positions,
    Watch,
    WatchRepository,
    MissedWalk,
    UndeliveredWalk,
    StatisticDeltaRepository,
    Instance,
    InstanceRepository,
    Heartbeat,
    LeaseRecovery,
    LeaseRecoveryRepository,
    UnknownLeases,
    TaskLease,
    RecoveryShare,
    Redelivery,
    RedeliveryRepository,
    RedeliveryStep,
    stepRepository,
    Revival,
    RevivalRepository,
    ProbeSearch,
    Intake,
    IntakeRepository,
    AudienceRepository,
    FanOut,
    DecisionSets,
    LineKeeper,
    LineRepository,
    LineMembers,
    LineTurns,
    QueueRepository,
    DueRepository,
    PaceRepository,
    LeaseReturns,
    Dispatcher,
    { provide: Capacity, useExisting: Dispatcher },
    WebhookQueues,
    DueScan,
    Claims,
    DueClaims,
    UrgentClaims,
    Claimer,
    Receivers,
    ReceiverCalls,
    AccessTokens,
    ReceiverRepository,
    Sender,
    ErasedNotifications,
    FinishedAttempts,
    Settlement,
    settlementRepository,
    HealthNotes,
    WebhookHealth,
    WebhookHealthRepository,
    ProbingStartRepository,
    ReceiverPauses,
    DisabledNotices,
    StatisticsUpkeep,
  ],
  exports: [
    ...shared,
    Intake,
    Dispatcher,
    WebhookQueues,
    BacklogRepository,
    Instance,
    TaskLease,
    NoticeRepository,
  ],
})
export class EngineModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly heartbeat: Heartbeat,
    private readonly recovery: LeaseRecovery,
    private readonly purge: IdempotencyPurge,
    private readonly settlement: Settlement,
    private readonly dispatcher: Dispatcher,
    private readonly claimer: Claimer,
    private readonly redelivery: Redelivery,
    private readonly lines: LineKeeper,
    private readonly revival: Revival,
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
    this.redelivery.start();
    this.lines.start();
    this.revival.start();
  }

  /** Each step has its own time limit, as the database may be silent. */
  async beforeApplicationShutdown(): Promise<void> {
    this.claimer.stop();
    await Promise.all([
      this.purge.stop(),
      this.redelivery.stop(),
      this.lines.stop(),
      this.revival.stop(),
      this.dispatcher.stop(),
    ]);
    this.settlement.stop();
    this.recovery.stop();
    failpoint('stop-given-back');
    await settledInTime(this.heartbeat.stop());
    failpoint('stop-left');
    await settledInTime(this.transport.close());
  }
}
