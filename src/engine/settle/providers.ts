import { Database } from '../../store/database.js';
import { UnwantedTriggers } from '../ledger/cancel/unwanted-triggers.repository.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { OrderingRepository } from '../ordering/ordering.repository.js';
import { NoticeRepository } from '../report/notice.repository.js';
import { Attempts } from './attempts.js';
import { BatchSettlementRepository } from './batch-settlement.repository.js';
import { HealthEvents } from './health/health-events.js';
import { HealthNotes } from './health/health-notes.js';
import { HealthWatcher } from './health/health-watcher.js';
import { ShownHealth } from './health/shown-health.js';
import { WebhookFailures } from './health/webhook-failures.repository.js';
import { RequeueRepository } from './requeue.repository.js';
import { Requeuer } from './requeuer.js';
import { ScriptSettlementRepository } from './script-settlement.repository.js';
import { Settlement } from './settlement.js';
import { SettlementRepository } from './settlement.repository.js';

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

export const SETTLE = {
  providers: [
    Settlement,
    settlementRepository,
    Attempts,
    Requeuer,
    RequeueRepository,
    HealthWatcher,
    WebhookFailures,
    HealthNotes,
    ShownHealth,
    HealthEvents,
  ],
  exports: [],
};
