import { Injectable } from '@nestjs/common';
import { MissedScan } from './missed-scan.repository.js';
import type { ReplayScan } from './recovery-scope.js';
import { UndeliveredScan } from './undelivered-scan.repository.js';

/** How a recovery finds what to send again. */
@Injectable()
export class ReplayScans {
  constructor(
    private readonly undelivered: UndeliveredScan,
    private readonly missed: MissedScan,
  ) {}

  of({ missed }: { missed: boolean }): ReplayScan {
    return missed ? this.missed : this.undelivered;
  }
}
