import { Module } from '@nestjs/common';
import { AnswerCapacity } from '../rest/large-answer/answer-capacity.js';
import { ExchangeRepository } from './attempt/exchange.repository.js';
import { RequestHeadRepository } from './attempt/request-head.repository.js';
import { RequestHeadSweep } from './attempt/request-head-sweep.js';
import { RequestHeads } from './attempt/request-heads.js';
import { CancellationRepository } from './cancel/cancellation.repository.js';
import { Cancellations } from './cancel/cancellations.js';
import { RecoverFrom } from './cancel/recover-from.repository.js';
import { UnwantedTriggers } from './cancel/unwanted-triggers.repository.js';
import { ChangeRepository } from './changes/change.repository.js';
import { ChangeFeed } from './changes/change-feed.js';
import { ChangeLog } from './changes/change-log.repository.js';
import { ChangePruning } from './changes/change-pruning.js';
import { Positions } from './changes/position.js';
import { WatchRepository } from './changes/watch.repository.js';
import { Watch } from './changes/watch.service.js';
import { Ledger } from './ledger/ledger.repository.js';
import { LineMarks } from './line/line-mark.repository.js';
import { QueueSignals } from './queue-signals.js';
import { QueueTime } from './queue-time.js';
import { RetryRepository } from './retry/retry.repository.js';
import { TriggerRetry } from './retry/trigger-retry.service.js';
import { ShownTriggers } from './shown-triggers.js';
import { TriggerRepository } from './trigger.repository.js';
import { TriggerDetails } from './trigger-details.service.js';
import { TriggerSearch } from './trigger-search.repository.js';
import { UrgentTriggerRepository } from './urgent-trigger.repository.js';

const shared = [
  ExchangeRepository,
  TriggerRepository,
  RetryRepository,
  TriggerRetry,
  TriggerDetails,
  RequestHeads,
  RequestHeadRepository,
  UrgentTriggerRepository,
  UnwantedTriggers,
  LineMarks,
  Ledger,
  ChangeLog,
  ChangeFeed,
  ShownTriggers,
  QueueSignals,
  QueueTime,
  AnswerCapacity,
];

/** What happened to each firing of a webhook. */
@Module({
  providers: [
    ...shared,
    TriggerSearch,
    CancellationRepository,
    RecoverFrom,
    Cancellations,
    RequestHeadSweep,
    ChangeRepository,
    ChangePruning,
    Positions,
    Watch,
    WatchRepository,
  ],
  exports: shared,
})
export class TriggerModule {}
