import { systemClock } from '../../src/common/clock.js';
import type { Database } from '../../src/database/database.js';
import { RecoverFrom } from '../../src/trigger/cancel/recover-from.repository.js';
import { ChangeRepository } from '../../src/trigger/changes/change.repository.js';
import { ChangeLog } from '../../src/trigger/changes/change-log.repository.js';
import { WatchRepository } from '../../src/trigger/changes/watch.repository.js';
import { Watch } from '../../src/trigger/changes/watch.service.js';
import { Ledger } from '../../src/trigger/ledger/ledger.repository.js';
import { LineMarks } from '../../src/trigger/line/line-mark.repository.js';
import { QueueSignals } from '../../src/trigger/queue-signals.js';

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
