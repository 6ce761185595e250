import { AutoRecover } from './auto-recover.js';
import { AutoRecoverRepository } from './auto-recover.repository.js';
import { ProbeSearch } from './probe-search.js';
import { RecoveryShare } from './recovery-share.js';
import { ReplayRepository } from './replay.repository.js';
import { ReplayRunner } from './replay-runner.js';
import { ReplayStep } from './replay-step.js';
import { ReplayStepRepository } from './replay-step.repository.js';
import { RetryRepository } from './retry.repository.js';
import { MissedScan } from './scan/missed-scan.repository.js';
import { RecoveryCount } from './scan/recovery-count.js';
import { ReplayScans } from './scan/replay-scans.js';
import { UndeliveredScan } from './scan/undelivered-scan.repository.js';

export const REPLAY = {
  providers: [
    RetryRepository,
    RecoveryCount,
    ReplayScans,
    ReplayRunner,
    ReplayRepository,
    ReplayStep,
    ReplayStepRepository,
    RecoveryShare,
    AutoRecover,
    AutoRecoverRepository,
    ProbeSearch,
    MissedScan,
    UndeliveredScan,
  ],
  exports: [RetryRepository, RecoveryCount],
};
