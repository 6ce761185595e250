import type { Clock } from '../../src/common/clock.js';
import type { Settings } from '../../src/config/settings.js';
import type { Database } from '../../src/database/database.js';
import { Instance } from '../../src/delivery/recover/instance.js';
import { MysqlStepRepository } from '../../src/delivery/redeliver/mysql-step.repository.js';
import { RecoveryShare } from '../../src/delivery/redeliver/recovery-share.js';
import { Redelivery } from '../../src/delivery/redeliver/redelivery.js';
import { RedeliveryRepository } from '../../src/delivery/redeliver/redelivery.repository.js';
import { RedeliveryStep } from '../../src/delivery/redeliver/redelivery-step.js';
import { SqliteStepRepository } from '../../src/delivery/redeliver/sqlite-step.repository.js';
import { EventFilters } from '../../src/event/filter/event-filters.service.js';
import { QueueSignals } from '../../src/trigger/queue-signals.js';
import { QueueTime } from '../../src/trigger/queue-time.js';
import { MissedWalk } from '../../src/webhook/recovery/missed-walk.repository.js';
import { RecoveryWalks } from '../../src/webhook/recovery/recovery-walks.js';
import { UndeliveredWalk } from '../../src/webhook/recovery/undelivered-walk.repository.js';
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
