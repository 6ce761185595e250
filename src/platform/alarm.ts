import type { Clock } from './clock.js';

/**
 * One timer for many deadlines. It rings once, at the earliest time requested and never before it; then it must be set
 * again. Node may fire a timer early, in which case this one rearms itself.
 */
export class Alarm {
  /** On the monotonic clock. */
  private at = Number.POSITIVE_INFINITY;
  private cancelTimer = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** @param at on the monotonic clock. */
  ringBy(at: number): void {
    if (at >= this.at) return;
    this.at = at;
    this.arm();
  }

  cancel(): void {
    this.cancelTimer();
    this.at = Number.POSITIVE_INFINITY;
  }

  private arm(): void {
    this.cancelTimer();
    const wait = Math.max(1, Math.ceil(this.at - this.clock.monotonic()));
    this.cancelTimer = this.clock.after(wait, () => this.fired());
  }

  private fired(): void {
    if (this.clock.monotonic() < this.at) {
      this.arm();
    } else {
      this.at = Number.POSITIVE_INFINITY;
      this.ring();
    }
  }
}
