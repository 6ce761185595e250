import { ChangeRepository } from '../../src/engine/changes/change.repository.js';
import { ChangeLog } from '../../src/engine/changes/change-log.repository.js';
import { WatchRepository } from '../../src/engine/changes/watch.repository.js';
import { Watch } from '../../src/engine/changes/watch.service.js';
import { Ledger } from '../../src/engine/ledger/ledger.repository.js';
import { LineMarks } from '../../src/engine/ledger/line-mark.repository.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { RecoverFrom } from '../../src/engine/ledger/recover-from.repository.js';
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
    new LineMarks(database, signals),
    changeLogOf(database),
    new RecoverFrom(database),
  );
}
