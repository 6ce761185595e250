import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';

const JUST_GONE_MS = 1000;

/**
 * The time that decides which triggers are due: the wall clock's, except that it never goes back. If the wall clock is set
 * forward, this follows; if it is set back, this goes on at its own pace until the wall clock has caught up. Otherwise
 * setting it back by an hour would delay each retry by that hour, and put fresh triggers before the place already scanned.
 */
@Injectable()
export class QueueTime {
  /** The largest lead of the wall clock over the monotonic one seen so far. */
  private ahead = Number.NEGATIVE_INFINITY;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Epoch milliseconds: whole, and never before the wall clock's. */
  now(): number {
    const passed = this.clock.monotonic();
    this.ahead = Math.max(this.ahead, this.clock.now() - passed);
    return Math.round(passed + this.ahead);
  }

  /** Converts a very recent wall-clock time to queue time: the same value, unless the clock was set since. */
  of(stamp: number): number {
    const now = this.now();
    return Math.abs(now - stamp) < JUST_GONE_MS ? stamp : now;
  }
}
