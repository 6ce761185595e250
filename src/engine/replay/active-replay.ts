import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import { ReplayRate } from './replay-rate.js';

/** How many seconds' worth of its rate may wait for a slow receiver. */
const MAX_WAITING_SECONDS = 3;
/** Rows that a step examines, at first and while it finds enough. */
const MIN_WINDOW = 500;
/** By how much fewer rows the next step examines while few of them are wanted: it should not have to find out anew. */
const FEWER = 0.9;
/** The pause after a step that failed, and the longest one after many. */
const FAILED_MS = 1000;
const MAX_FAILED_MS = 10_000;

/** A recovery that this instance carries on, and what it remembers of it in memory. */
export class ActiveReplay {
  readonly rate: ReplayRate;
  /** The most triggers that may be due and not yet tried. */
  readonly maxWaiting: number;
  window = MIN_WINDOW;
  /** Triggers made due that may not have been tried yet; null until they have been looked up. */
  waiting: string[] | null = null;
  /** When to take its next step. Monotonic. */
  nextAt: number;
  /** Whether a step is under way. */
  isStepping = false;
  /** Steps that have failed, one after another. How far the last one came is not known if its commit got no answer. */
  private failures = 0;
  /** Whether its row may have changed since it was read. */
  isStale = false;

  /** @param row as it is stored, but for what this instance stores itself. */
  constructor(
    public row: RecoveryEntity,
    now: number,
  ) {
    this.rate = new ReplayRate(row.perSecond, now);
    this.maxWaiting = MAX_WAITING_SECONDS * this.rate.perSecond;
    this.nextAt = now;
  }

  /** Looks at more rows where few are wanted. */
  adapt(found: number, maxWindow: number): void {
    this.window =
      found === this.rate.batch
        ? Math.max(MIN_WINDOW, Math.floor(this.window * FEWER))
        : Math.min(2 * this.window, maxWindow);
  }

  /** @param nextAt when to take the next step. */
  stepped(nextAt: number): void {
    this.failures = 0;
    this.nextAt = nextAt;
  }

  /** The pauses grow: a step may have waited long for a row that somebody has locked, and taken time from others. */
  failed(now: number): void {
    this.nextAt = now + Math.min(FAILED_MS * 2 ** this.failures++, MAX_FAILED_MS);
    this.isStale = true;
  }

  /** @param row as it is stored now. */
  renew(row: RecoveryEntity): void {
    this.row = row;
    this.waiting = null;
    this.isStale = false;
  }
}
