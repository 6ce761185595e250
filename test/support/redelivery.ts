import { EventFilters } from '../../src/engine/filter/event-filters.service.js';
import { Instance } from '../../src/engine/instance/instance.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { QueueTime } from '../../src/engine/ledger/queue-time.js';
import { MysqlStepRepository } from '../../src/engine/replay/mysql-step.repository.js';
import { RecoveryShare } from '../../src/engine/replay/recovery-share.js';
import { Redelivery } from '../../src/engine/replay/redelivery.js';
import { RedeliveryRepository } from '../../src/engine/replay/redelivery.repository.js';
import { RedeliveryStep } from '../../src/engine/replay/redelivery-step.js';
import { MissedWalk } from '../../src/engine/replay/scan/missed-walk.repository.js';
import { RecoveryWalks } from '../../src/engine/replay/scan/recovery-walks.js';
import { UndeliveredWalk } from '../../src/engine/replay/scan/undelivered-walk.repository.js';
import { SqliteStepRepository } from '../../src/engine/replay/sqlite-step.repository.js';
import type { Clock } from '../../src/platform/clock.js';
import type { Settings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/store/database.js';
import { ledgerOf } from './change-log.js';

/** What carries recoveries on in a process that is put together by hand, and knows nothing of others. */
export function redeliveryOf(database: Database, clock: Clock) {
  const instance = new Instance(clock, { delivery: { instanceTimeoutMs: 45_000 } } as Settings);
  const repository = new RedeliveryRepository(database, instance);
  const signals = new QueueSignals();
  const ledger = ledgerOf(database, signals);
  const steps =
    database.dialect === 'sqlite'
      ? new SqliteStepRepository(database, instance, ledger)
      : new MysqlStepRepository(database, instance, ledger);
  const walks = new RecoveryWalks(
    new UndeliveredWalk(database),
    new MissedWalk(database, new EventFilters(database)),
  );
  const step = new RedeliveryStep(repository, steps, walks, signals, new QueueTime(clock), clock);
  const share = new RecoveryShare(repository, clock);
  const redelivery = new Redelivery(share, repository, step, signals, clock);
  return { instance, repository, share, step, redelivery };
}
