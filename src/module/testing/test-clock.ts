import type { Clock } from '../../platform/clock.js';

interface Timer {
  at: number;
  run: () => void;
}

/** A clock that stands still until the test moves it. */
export class TestClock implements Clock {
  private readonly timers = new Set<Timer>();
  private passed = 0;

  /** @param time the start, in milliseconds since the Unix epoch. @default the current time */
  constructor(private time = Date.now()) {}

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.passed;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.passed + Math.max(0, ms), run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Lets time pass: calls the timers that become due, in order, and does not wait for the work they start. */
  advance(ms: number): void {
    this.time += ms;
    this.passed += ms;
    const due = [...this.timers].filter(({ at }) => at <= this.passed).sort((a, b) => a.at - b.at);
    for (const timer of due) if (this.timers.delete(timer)) timer.run();
  }

  /** Steps the wall clock forward or back, like a manual correction. No time passes. */
  step(ms: number): void {
    this.time += ms;
  }
}
