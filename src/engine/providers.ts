import { LazyModuleLoader } from '@nestjs/core';
import { Connector } from '../network/connector.js';
import { TRANSPORT, type Transport } from '../network/transport/transport.js';
import { UndiciTransport } from '../network/transport/undici.transport.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { Database } from '../store/database.js';
import { AcceptRepository } from './accept/accept.repository.js';
import { Acceptor } from './accept/acceptor.js';
import { Capacity } from './accept/capacity.js';
import { DecisionSets } from './accept/decision-sets.js';
import { FanOut } from './accept/fan-out.js';
import { SubscriberRepository } from './accept/subscribers.repository.js';
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
import { OrderingMarks } from './ledger/ordering-marks.repository.js';
import { QueueSignals } from './ledger/queue-signals.js';
import { QueueTime } from './ledger/queue-time.js';
import { RecoverFrom } from './ledger/recover-from.repository.js';
import { GroupPositions } from './ordering/group-positions.repository.js';
import { Groups } from './ordering/groups.repository.js';
import { OrderingRepository } from './ordering/ordering.repository.js';
import { OrderingUpkeep } from './ordering/ordering-upkeep.js';
import { QueueRepository } from './queue/queue.repository.js';
import { RateSlots } from './queue/rate-slots.repository.js';
import { WebhookQueues } from './queue/webhook-queues.js';
import { AutoRecover } from './replay/auto-recover.js';
import { AutoRecoverRepository } from './replay/auto-recover.repository.js';
import { RecoveryShare } from './replay/recovery-share.js';
import { ReplayRepository } from './replay/replay.repository.js';
import { ReplayRunner } from './replay/replay-runner.js';
import { ReplayStep } from './replay/replay-step.js';
import { ReplayStepRepository } from './replay/replay-step.repository.js';
import { RetryRepository } from './replay/retry.repository.js';
import { MissedScan } from './replay/scan/missed-scan.repository.js';
import { RecoveryCount } from './replay/scan/recovery-count.js';
import { ReplayScans } from './replay/scan/replay-scans.js';
import { UndeliveredScan } from './replay/scan/undelivered-scan.repository.js';
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
import { BatchSettlementRepository } from './settle/batch-settlement.repository.js';
import { FinishedAttempts } from './settle/finished-attempts.js';
import { DisabledEvents } from './settle/health/disabled-events.js';
import { HealthNotes } from './settle/health/health-notes.js';
import { ReceiverPauses } from './settle/health/receiver-pauses.js';
import { WebhookHealth } from './settle/health/webhook-health.js';
import { WebhookHealthRepository } from './settle/health/webhook-health.repository.js';
import { Requeue } from './settle/requeue.js';
import { ScriptSettlementRepository } from './settle/script-settlement.repository.js';
import { Settlement } from './settle/settlement.js';
import { SettlementRepository } from './settle/settlement.repository.js';

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
  inject: [Database, NoticeRepository, OrderingRepository, UnwantedTriggers, Ledger],
  useFactory: (
    database: Database,
    notices: NoticeRepository,
    ordering: OrderingRepository,
    unwanted: UnwantedTriggers,
    ledger: Ledger,
  ): SettlementRepository =>
    database.runsScripts
      ? new ScriptSettlementRepository(database, notices, unwanted, ledger)
      : new BatchSettlementRepository(database, notices, ordering, unwanted, ledger),
};

/** What the resources use of the engine as well. */
const SHARED = [
  QueueSignals,
  QueueTime,
  RetryRepository,
  OrderingMarks,
  Ledger,
  CancellationRepository,
  UnwantedTriggers,
  ChangeLog,
  ChangeFeed,
  RequestHeads,
  RequestHeadRepository,
  EventFilters,
  RecoveryCount,
  ReplayScans,
  StatisticAdding,
  OldStatisticRepository,
];

/** All of the engine, room by room. */
export const PROVIDERS = [
  ...SHARED,
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
  MissedScan,
  UndeliveredScan,
  StatisticDeltaRepository,
  Instance,
  InstanceRepository,
  Heartbeat,
  LeaseRecovery,
  LeaseRecoveryRepository,
  UnknownLeases,
  TaskLease,
  RecoveryShare,
  ReplayRunner,
  ReplayRepository,
  ReplayStep,
  ReplayStepRepository,
  AutoRecover,
  AutoRecoverRepository,
  Acceptor,
  AcceptRepository,
  SubscriberRepository,
  FanOut,
  DecisionSets,
  OrderingUpkeep,
  OrderingRepository,
  GroupPositions,
  Groups,
  QueueRepository,
  DueRepository,
  RateSlots,
  Requeue,
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
  ReceiverPauses,
  DisabledEvents,
  StatisticsUpkeep,
];

export const EXPORTS = [
  ...SHARED,
  Acceptor,
  Dispatcher,
  WebhookQueues,
  BacklogRepository,
  Instance,
  TaskLease,
  NoticeRepository,
];
