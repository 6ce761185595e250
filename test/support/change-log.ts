import { ChangeRepository } from '../../src/engine/changes/change.repository.js';
import { ChangeLog } from '../../src/engine/changes/change-log.repository.js';
import { WatchRepository } from '../../src/engine/changes/watch.repository.js';
import { Watch } from '../../src/engine/changes/watch.service.js';
import { RecoverFrom } from '../../src/engine/health/recover-from.repository.js';
import { Ledger } from '../../src/engine/ledger/ledger.repository.js';
import { OrderingMarks } from '../../src/engine/ledger/ordering-marks.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { systemClock } from '../../src/platform/clock.js';
import type { Database } from '../../src/store/database.js';

/** The log of changes of a process that is put together by hand. */
function changeLogOf(database: Database): ChangeLog {
  const watch = new Watch(
    new WatchRepository(database),
    new ChangeRepository(database),
    database,
    systemClock,
  );
  return new ChangeLog(database, watch, systemClock);
}

/** The same for what changes triggers. */
export function ledgerOf(database: Database, signals = new QueueSignals()): Ledger {
  return new Ledger(
    database,
    new OrderingMarks(database, signals),
    changeLogOf(database),
    new RecoverFrom(database),
  );
}
