import { EventFilters } from '../../src/engine/filter/event-filters.service.js';
import { Instance } from '../../src/engine/instance/instance.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { QueueTime } from '../../src/engine/ledger/queue-time.js';
import { RecoveryShare } from '../../src/engine/replay/recovery-share.js';
import { ReplayRepository } from '../../src/engine/replay/replay.repository.js';
import { ReplayRunner } from '../../src/engine/replay/replay-runner.js';
import { ReplayStep } from '../../src/engine/replay/replay-step.js';
import { ReplayStepRepository } from '../../src/engine/replay/replay-step.repository.js';
import { MissedScan } from '../../src/engine/replay/scan/missed-scan.repository.js';
import { ReplayScans } from '../../src/engine/replay/scan/replay-scans.js';
import { UndeliveredScan } from '../../src/engine/replay/scan/undelivered-scan.repository.js';
import { Jobs } from '../../src/jobs/jobs.js';
import type { Clock } from '../../src/platform/clock.js';
import type { Settings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/store/database.js';
import { ledgerOf } from './change-log.js';

/** What carries recoveries on in a process that is put together by hand, and knows nothing of others. */
export function replayOf(database: Database, clock: Clock) {
  const instance = new Instance(clock, { delivery: { instanceTimeoutMs: 45_000 } } as Settings);
  const repository = new ReplayRepository(database, instance);
  const signals = new QueueSignals();
  const steps = new ReplayStepRepository(database, instance, ledgerOf(database, signals));
  const scans = new ReplayScans(
    new UndeliveredScan(database),
    new MissedScan(database, new EventFilters(database)),
  );
  const step = new ReplayStep(repository, steps, scans, signals, new QueueTime(clock), clock);
  const share = new RecoveryShare(repository, clock);
  const jobs = new Jobs(clock);
  new ReplayRunner(share, repository, step, signals, jobs, clock);
  return { instance, repository, share, step, jobs };
}
