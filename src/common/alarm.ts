import type { Clock } from './clock.js';

/**
 * One timer for many times: it rings at the earliest that was asked for, never before it, and then has to be set again.
 * Timers may fire early; this one is then armed again, so that the moment has come when it rings.
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
