import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';

const JUST_GONE_MS = 1000;

/**
 * The time by which triggers are due: that of the wall clock, but it never goes back. Where the wall clock is set
 * forward, this goes with it; where it is set back, this goes on at its own pace, until the wall clock has caught up.
 * Otherwise an hour back would delay each retry by that hour, and put what is due now before what was looked at.
 */
@Injectable()
export class QueueTime {
  /** The most that the wall clock was seen ahead of the monotonic one. */
  private ahead = Number.NEGATIVE_INFINITY;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Epoch milliseconds; whole, and never before those of the wall clock. */
  now(): number {
    const passed = this.clock.monotonic();
    this.ahead = Math.max(this.ahead, this.clock.now() - passed);
    return Math.round(passed + this.ahead);
  }

  /** The same of a moment just gone, by its stamp of the wall clock: that one, unless the clock was set. */
  of(stamp: number): number {
    const now = this.now();
    return Math.abs(now - stamp) < JUST_GONE_MS ? stamp : now;
  }
}
