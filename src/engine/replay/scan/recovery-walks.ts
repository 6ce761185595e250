import { Injectable } from '@nestjs/common';
import { MissedWalk } from './missed-walk.repository.js';
import type { Walk } from './recovery-scope.js';
import { UndeliveredWalk } from './undelivered-walk.repository.js';

/** Which way a recovery walks. */
@Injectable()
export class RecoveryWalks {
  constructor(
    private readonly undelivered: UndeliveredWalk,
    private readonly missed: MissedWalk,
  ) {}

  of({ missed }: { missed: boolean }): Walk {
    return missed ? this.missed : this.undelivered;
  }
}
