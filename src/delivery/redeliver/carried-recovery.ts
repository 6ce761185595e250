import type { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import { RedeliveryPace } from './redelivery-pace.js';

/** How many seconds' worth of its pace may wait for a slow receiver. */
const MAX_WAITING_SECONDS = 3;
/** Rows that a step looks at, at first and while it finds enough. */
const MIN_WINDOW = 500;

/** A recovery that this instance carries on, and what it remembers of it in memory. */
export class CarriedRecovery {
  readonly pace: RedeliveryPace;
  /** The most triggers that may be due and not yet tried. */
  readonly maxWaiting: number;
  window = MIN_WINDOW;
  /** Triggers made due that may not have been tried yet; null until they have been looked up. */
  waiting: string[] | null = null;
  /** When to take its next step. Monotonic. */
  nextAt: number;

  /** @param row as it is stored, but for what this instance stores itself. */
  constructor(
    readonly row: RecoveryEntity,
    now: number,
  ) {
    this.pace = new RedeliveryPace(row.perSecond, now);
    this.maxWaiting = MAX_WAITING_SECONDS * row.perSecond;
    this.nextAt = now;
  }

  /** Looks at more rows where few are wanted. */
  adapt(found: number, maxWindow: number): void {
    this.window = found === this.pace.batch ? MIN_WINDOW : Math.min(2 * this.window, maxWindow);
  }
}
