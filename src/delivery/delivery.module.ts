import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { failpoint } from '../common/failpoint.js';
import { settledInTime } from '../common/settled-in-time.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Connector } from '../egress/connector.js';
import { EventFilters } from '../event/filter/event-filters.service.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotencyPurge } from '../idempotency/idempotency-purge.js';
import { StatisticAdding } from '../statistics/adding.js';
import { OldStatisticRepository } from '../statistics/old-statistic.repository.js';
import { StatisticDeltaRepository } from '../statistics/statistic-delta.repository.js';
import { TRANSPORT, type Transport } from '../transport/transport.js';
import { UndiciTransport } from '../transport/undici.transport.js';
import { RequestHeadRepository } from '../trigger/attempt/request-head.repository.js';
import { RequestHeadSweep } from '../trigger/attempt/request-head-sweep.js';
import { RequestHeads } from '../trigger/attempt/request-heads.js';
import { CancellationRepository } from '../trigger/cancel/cancellation.repository.js';
import { Cancellations } from '../trigger/cancel/cancellations.js';
import { RecoverFrom } from '../trigger/cancel/recover-from.repository.js';
import { UnwantedTriggers } from '../trigger/cancel/unwanted-triggers.repository.js';
import { ChangeRepository } from '../trigger/changes/change.repository.js';
import { ChangeFeed } from '../trigger/changes/change-feed.js';
import { ChangeLog } from '../trigger/changes/change-log.repository.js';
import { ChangePruning } from '../trigger/changes/change-pruning.js';
import { Positions } from '../trigger/changes/position.js';
import { WatchRepository } from '../trigger/changes/watch.repository.js';
import { Watch } from '../trigger/changes/watch.service.js';
import { Ledger } from '../trigger/ledger/ledger.repository.js';
import { LineMarks } from '../trigger/line/line-mark.repository.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { QueueTime } from '../trigger/queue-time.js';
import { RetryRepository } from '../trigger/retry/retry.repository.js';
import { UrgentTriggerRepository } from '../trigger/urgent-trigger.repository.js';
import { MissedWalk } from '../webhook/recovery/missed-walk.repository.js';
import { RecoveryCount } from '../webhook/recovery/recovery-count.js';
import { RecoveryWalks } from '../webhook/recovery/recovery-walks.js';
import { UndeliveredWalk } from '../webhook/recovery/undelivered-walk.repository.js';
import { AudienceRepository } from './accept/audience.repository.js';
import { Capacity } from './accept/capacity.js';
import { DecisionSets } from './accept/decision-sets.js';
import { FanOut } from './accept/fan-out.js';
import { Intake } from './accept/intake.js';
import { IntakeRepository } from './accept/intake.repository.js';
import { Claimer } from './claim/claimer.js';
import { Claims } from './claim/claims.js';
import { DueRepository } from './claim/due.repository.js';
import { DueClaims } from './claim/due-claims.js';
import { DueScan } from './claim/due-scan.js';
import { UrgentClaims } from './claim/urgent-claims.js';
import { LineRepository } from './line/line.repository.js';
import { LineKeeper } from './line/line-keeper.js';
import { LineMembers } from './line/line-members.repository.js';
import { LineTurns } from './line/line-turns.repository.js';
import { PaceRepository } from './queue/pace.repository.js';
import { QueueRepository } from './queue/queue.repository.js';
import { WebhookQueues } from './queue/webhook-queues.js';
import { Heartbeat } from './recover/heartbeat.js';
import { Instance } from './recover/instance.js';
import { InstanceRepository } from './recover/instance.repository.js';
import { LeaseRecovery } from './recover/lease-recovery.js';
import { LeaseRecoveryRepository } from './recover/lease-recovery.repository.js';
import { TaskLease } from './recover/task-lease.js';
import { UnknownLeases } from './recover/unknown-leases.js';
import { MysqlStepRepository } from './redeliver/mysql-step.repository.js';
import { RecoveryShare } from './redeliver/recovery-share.js';
import { Redelivery } from './redeliver/redelivery.js';
import { RedeliveryRepository } from './redeliver/redelivery.repository.js';
import { RedeliveryStep } from './redeliver/redelivery-step.js';
import { SqliteStepRepository } from './redeliver/sqlite-step.repository.js';
import { StepRepository } from './redeliver/step.repository.js';
import { BacklogRepository } from './report/backlog.repository.js';
import { DeliveryEvents } from './report/delivery-events.js';
import { DeliveryMetricsModule } from './report/delivery-metrics.module.js';
import { NoticeRepository } from './report/notice.repository.js';
import { StatisticsUpkeep } from './report/statistics-upkeep.js';
import { ProbeSearch } from './revive/probe-search.js';
import { Revival } from './revive/revival.js';
import { RevivalRepository } from './revive/revival.repository.js';
import { AccessTokens } from './send/access-tokens.js';
import { Dispatcher } from './send/dispatcher.js';
import { ErasedNotifications } from './send/erased-notifications.js';
import { ReceiverRepository } from './send/receiver.repository.js';
import { ReceiverCalls } from './send/receiver-calls.js';
import { Receivers } from './send/receivers.js';
import { Sender } from './send/sender.js';
import { DisabledNotices } from './settle/disabled-notices.js';
import { FinishedAttempts } from './settle/finished-attempts.js';
import { HealthNotes } from './settle/health-notes.js';
import { LeaseReturns } from './settle/lease-returns.js';
import { MysqlSettlementRepository } from './settle/mysql-settlement.repository.js';
import { ProbingStartRepository } from './settle/probing-start.repository.js';
import { ReceiverPauses } from './settle/receiver-pauses.js';
import { Settlement } from './settle/settlement.js';
import { SettlementRepository } from './settle/settlement.repository.js';
import { SqliteSettlementRepository } from './settle/sqlite-settlement.repository.js';
import { WebhookHealth } from './settle/webhook-health.js';
import { WebhookHealthRepository } from './settle/webhook-health.repository.js';

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
    const { hostAxios } = await import('../transport/host-axios.js');
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
export class DeliveryModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
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
